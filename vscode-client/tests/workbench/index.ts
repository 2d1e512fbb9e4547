/** The server and its index: how they are, and what changes while VS Code runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SEARCH } from "./search";
import { person, workbench } from "./shared";
import { makeLargeFolder, makeSecondFolder } from "./workspace";

describe("status", () => {
  test("is told beside the language", async () => {
    await person.opens("cache.py");
    await expect.poll(() => person.languageStatus()).toContain("Hunch: ready");
    await person.looksAtLanguageStatus();
    await person.pictures("status-item");
    await person.presses("Escape");
  });

  test("is shown with what can be done", async () => {
    await person.runs("Hunch: Show Status");
    await person.waitsFor("Embedder:");
    await person.waitsFor("Show Problems (1)");
    await person.pictures("status");
    await person.presses("Escape");
  });

  test("names the files that are left out", async () => {
    await person.runs("Hunch: Show Problems");
    await person.waitsFor("src/huge.py");
    await person.pictures("problems");
    await person.presses("Escape");
  });

  test("says in the list that indexing is paused", async () => {
    await person.runs("Hunch: Pause Indexing");
    await expect.poll(() => person.languageStatus()).toContain("Hunch: paused");
    await person.runs("Hunch: Search by Meaning");
    await person.meets(SEARCH);
    await person.types("money back");
    await person.waitsFor("Indexing is paused");
    await person.presses("Escape");
    await person.runs("Hunch: Resume Indexing");
    await expect.poll(() => person.languageStatus()).toContain("Hunch: ready");
  });
});

describe("what changes", () => {
  test("is found while it is only typed", async () => {
    await person.opens("cart.go");
    await person.presses("Control+End");
    await person.writes("// umbrellas are lent to anybody who asks at the counter");
    await person.runs("Hunch: Search by Meaning");
    await person.types("umbrellas lent at the counter");
    await person.waitsFor("web/cart.go");
    await person.presses("Escape");
    await expect.poll(() => person.list()).toBe("");
    await person.runs("File: Revert File", "Revert File");
  });

  test("a setting is taken over at once", async () => {
    workbench.changeSettings({ "hunch.index.maxFileBytes": 10_000_000 });
    await expect
      .poll(() => person.problems(), { timeout: 30_000 })
      .not.toContainEqual(expect.stringContaining("huge.py"));
    workbench.changeSettings({ "hunch.index.maxFileBytes": undefined });
  });

  test("a killed server comes back", async () => {
    const before = workbench.serverProcesses();
    expect(before).toHaveLength(1);
    process.kill(before[0] ?? 0, "SIGKILL");
    await expect
      .poll(() => workbench.serverProcesses().filter((pid) => !before.includes(pid)), {
        timeout: 30_000,
      })
      .toHaveLength(1);
    await finds("give money back", "src/net/gateway.py");
  });

  test("the server is restarted on command", async () => {
    const before = workbench.serverProcesses();
    await person.runs("Hunch: Restart Server");
    await expect
      .poll(() => workbench.serverProcesses(), { timeout: 30_000 })
      .not.toEqual(expect.arrayContaining(before));
    await finds("give money back", "src/net/gateway.py");
  });
});

describe("folders", () => {
  test(
    "a second folder is searched too, and indexing is shown while it lasts",
    { timeout: 180_000 },
    async () => {
      const [second, large] = ["weather", "large"].map((name) => join(workbench.root, name));
      makeSecondFolder(second ?? "");
      makeLargeFolder(large ?? "");
      const file = join(workbench.root, "both.code-workspace");
      const folders = (paths: (string | undefined)[]): string =>
        JSON.stringify({ folders: paths.map((path) => ({ path })) });
      writeFileSync(file, folders([workbench.folder]));
      await workbench.open(file);
      await finds("give money back", "src/net/gateway.py");
      await person.presses("Escape");
      writeFileSync(file, folders([workbench.folder, second]));
      await finds("moisture in the air condenses", "weather.py:1");
      await person.presses("Escape");
      await person.opens("cache.py");
      writeFileSync(file, folders([workbench.folder, second, large]));
      await expect
        .poll(() => person.languageStatus(), { timeout: 30_000, interval: 50 })
        .toContain("Hunch: indexing");
      await person.looksAtLanguageStatus();
      await person.pictures("indexing");
      await person.presses("Escape");
      await person.runs("Hunch: Search by Meaning");
      await person.meets(SEARCH);
      await person.types("money back");
      await person.waitsFor("Still indexing");
      await person.pictures("still-indexing");
      await person.presses("Escape");
      await workbench.open(workbench.folder);
    },
  );
});

async function finds(question: string, place: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await person.presses("Escape");
        await person.runs("Hunch: Search by Meaning");
        await person.meets(SEARCH);
        await person.types(question);
        return person.isShown(place);
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  await person.presses("Escape");
}
