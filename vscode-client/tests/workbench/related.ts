/** Finding what is like a piece of code. */
import { describe, expect, test } from "vitest";
import { person } from "./shared";

const NARROW = "Type to narrow the list";

describe("find related code", () => {
  test("finds code like the function at the cursor", async () => {
    await person.opens("resend.py");
    await person.goesTo(8);
    await person.runs("Hunch: Find Related Code");
    await person.meets(NARROW);
    await person.waitsFor("src/net/gateway.py:27");
    await person.pictures("related");
    const rows = await person.sees();
    expect(rows.filter((row) => row.includes("resend.py"))).toEqual([]);
    await person.presses("Escape");
    await expect.poll(() => person.line()).toBe(8);
  });

  test("is what the server's code action runs", async () => {
    await person.opens("resend.py");
    await person.presses("Control+.");
    await person.picksAction("Show related code");
    await person.meets(NARROW);
    await person.waitsFor("src/net/gateway.py:27");
    await person.presses("Escape");
  });

  test("finds code like a selection in a document that was never saved", async () => {
    await person.runs("File: New Untitled Text File", "New Untitled Text File");
    await person.writes("the password is checked against the hash of the user at sign in");
    await person.presses("Control+a");
    await person.runs("Hunch: Find Related Code");
    await person.meets(NARROW);
    await person.waitsFor("web/login.go:1");
    expect((await person.sees())[0]).toContain("VerifyPassword");
    await person.types("cart");
    await expect.poll(() => person.sees()).toHaveLength(1);
    await person.presses("Escape");
    await expect.poll(() => person.list()).toBe("");
    await person.runs("View: Revert and Close Editor");
  });
});
