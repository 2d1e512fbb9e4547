/** Searching, looking and opening. */
import { describe, expect, test } from "vitest";
import { person } from "./shared";

const QUESTION = "try again after the network failed";

describe("search by meaning", () => {
  test("shows hits in the server's order, though no label matches", async () => {
    await person.runs("Hunch: Search by Meaning");
    await person.meets("Describe what you are looking for");
    await person.types(QUESTION);
    await expect
      .poll(() => person.sees(), { timeout: 30_000 })
      .toContainEqual(expect.stringContaining("send_with_retry"));
    await person.pictures("search");
    console.log(await person.sees());
  });
});
