/** Searching, looking and opening. */
import { describe, expect, test } from "vitest";
import { person, workbench } from "./shared";

const QUESTION = "try again after the network failed";
const HIT = "src/net/gateway.py:27";
export const SEARCH = "Describe what you are looking for";

async function search(question: string): Promise<void> {
  await person.runs("Hunch: Search by Meaning");
  await person.meets(SEARCH);
  await person.types(question);
}

describe("search by meaning", () => {
  test("shows hits in the server's order, though no label matches", async () => {
    await search(QUESTION);
    await person.waitsFor(HIT);
    const places = (await person.sees()).map((row) => row.split(", ")[1]);
    expect(places).toEqual(workbench.ranking(QUESTION).slice(0, places.length));
    await person.pictures("search");
  });

  test("shows the hit in the editor while it is only looked at, and goes back on Escape", async () => {
    await person.presses("Escape");
    await person.opens("cache.py");
    await person.goesTo(11);
    await search(QUESTION);
    await person.waitsFor(HIT);
    await expect.poll(() => person.tab()).toBe("gateway.py");
    await expect.poll(() => person.line()).toBe(27);
    await person.pictures("preview");
    await person.presses("ArrowDown");
    await person.presses("ArrowDown");
    await expect.poll(() => person.tab()).toBe("resend.py");
    await person.presses("Escape");
    await expect.poll(() => person.tab()).toBe("cache.py");
    await expect.poll(() => person.line()).toBe(11);
    expect(await person.tabs()).toEqual(["cache.py"]);
    await expect.poll(() => person.moves("ArrowDown")).toBeGreaterThan(11);
  });

  test("opens the hit at its line on Enter", async () => {
    await search(QUESTION);
    await person.waitsFor(HIT);
    await person.presses("Enter");
    await expect.poll(() => person.tab()).toBe("gateway.py");
    await expect.poll(() => person.line()).toBe(27);
    await expect.poll(() => person.list()).toBe("");
  });

  test("offers what was asked before while nothing is typed", async () => {
    await search("");
    await person.waitsFor(QUESTION);
    await person.pictures("recent");
    await person.presses("Enter");
    await person.waitsFor(HIT);
    await person.presses("Escape");
  });

  test("copies path and line", async () => {
    await search(QUESTION);
    await person.pressesIn(HIT, "Copy path:line");
    await expect.poll(() => person.clipboard()).toBe(HIT);
    await person.presses("Escape");
  });

  test("opens a hit to the side and leaves the editor as it was", async () => {
    await person.opens("cache.py");
    await search(QUESTION);
    await person.pressesIn(HIT, "Open to the Side");
    await expect.poll(() => person.groups()).toBe(2);
    await expect.poll(() => person.tabs()).toContain("gateway.py");
    await person.closesAll();
  });

  test("narrows a search by kind", async () => {
    await search(QUESTION);
    await person.waitsFor(HIT);
    await person.pressesAbove("Filter by Kind");
    await person.ticks("docs");
    await person.waitsFor("docs/guide.md:1");
    await expect.poll(() => person.sees()).toHaveLength(1);
    await person.pictures("filtered");
    await person.presses("Escape");
  });
});
