/** Keeping results in a view. */
import { describe, expect, test } from "vitest";
import { SEARCH } from "./search";
import { person } from "./shared";

describe("the results view", () => {
  test("keeps the results of a search, grouped by file or by kind, and opens them", async () => {
    await person.closesAll();
    await person.runs("Hunch: Search by Meaning");
    await person.meets(SEARCH);
    await person.types("try again after the network failed");
    await person.waitsFor("src/net/gateway.py:27");
    await person.pressesAbove("Show in Results View");
    await expect
      .poll(() => person.tree())
      .toContainEqual(expect.stringMatching(/^gateway\.py|^src\/net\/gateway/));
    await person.pictures("results-by-file");
    await person.runs("Hunch: Group Results by Kind");
    await expect.poll(() => person.tree()).toContainEqual(expect.stringContaining("Documents"));
    await person.pictures("results-by-kind");
    await person.picksInTree("Gateway.send_with_retry");
    await expect.poll(() => person.line()).toBe(27);
    await person.runs("Hunch: Refresh Results");
    await expect
      .poll(() => person.tree())
      .toContainEqual(expect.stringContaining("send_with_retry"));
    await person.runs("Hunch: Clear Results");
    await expect.poll(() => person.tree()).toEqual([]);
    await person.pictures("results-empty");
  });
});
