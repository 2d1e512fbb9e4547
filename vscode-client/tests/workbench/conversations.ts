/** Finding and reading what was said. */
import { describe, expect, test } from "vitest";
import { person, workbench } from "./shared";

const ASKED = "What was said, decided or asked?";
const TURN = "How many times should the gateway be asked again";

describe("conversations", () => {
  test("are found, and opened rendered at the turn", async () => {
    await person.runs("Hunch: Search Conversations");
    await person.meets(ASKED);
    await person.types("how often do we retry");
    await person.waitsFor(TURN);
    await person.pictures("conversations");
    await person.presses("Enter");
    const page = await person.rendered();
    await page.getByText("Five attempts").waitFor();
    expect(await page.locator("strong", { hasText: "doubling the pause" }).count()).toBe(1);
    await expect.poll(() => page.evaluate(() => globalThis.scrollY)).toBeGreaterThan(100);
    await person.pictures("conversation");
    await person.closesAll();
  });

  test("are opened as Markdown text at the turn, if one likes that better", async () => {
    workbench.changeSettings({ "hunch.conversations.openAs": "text" });
    await person.runs("Hunch: Search Conversations");
    await person.meets(ASKED);
    await person.types("how often do we retry");
    await person.waitsFor(TURN);
    await person.presses("Enter");
    await expect.poll(() => person.line()).toBe(52);
    expect(await person.tab()).toMatch(/\.md$/);
    await person.closesAll();
  });
});
