/** What somebody meets who has just installed the extension, and has no server. */
import { describe, expect, test } from "vitest";
import { SEARCH } from "./search";
import { person, workbench } from "./shared";

describe("a first start", () => {
  test("asks once whether to install the server", async () => {
    workbench.changeSettings({
      "hunch.server.path": undefined,
      "hunch.server.python": "/bin/false",
    });
    await workbench.open(workbench.folder);
    await person.isTold("no server was found on PATH");
    await person.pictures("no-server");
    expect(await person.messageButtons()).toContain("Install Server");
  });

  test("says which Python would do when the one that was named is none", async () => {
    await person.runs("Hunch: Install Server");
    await person.isTold("The Python of the setting hunch.server.python does not run");
    workbench.changeSettings({ "hunch.server.python": undefined });
    await workbench.open(workbench.folder);
    await person.isTold("no server was found on PATH");
  });

  test(
    "installs the server from the package and searches with it",
    { timeout: 240_000 },
    async () => {
      await person.runs("Hunch: Install Server");
      await person.isTold("Installing the Hunch server with Python");
      await person.pictures("installing");
      await expect.poll(() => workbench.serverProcesses().length, { timeout: 200_000 }).toBe(1);
      await person.runs("Hunch: Search by Meaning");
      await person.meets(SEARCH);
      await person.types("give money back");
      await person.waitsFor("src/net/gateway.py");
      await person.presses("Escape");
    },
  );

  test("explains itself in a walkthrough", async () => {
    await person.runs("Welcome: Open Walkthrough...", "Open Walkthrough");
    await person.types("Get Started with Hunch");
    await person.waitsFor("Get Started with Hunch");
    await person.presses("Enter");
    await person.reads("Ask in your own words");
    await person.pictures("walkthrough");
  });
});
