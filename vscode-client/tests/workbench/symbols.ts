/** Go to Symbol in Workspace, which VS Code filters by name. */
import { describe, expect, test } from "vitest";
import { SEARCH } from "./search";
import { person, workbench } from "./shared";

describe("Ctrl+T", () => {
  test("shows symbols whose names match, and no others", async () => {
    await asks("send_with");
    await person.waitsFor("send_with_retry");
    await person.presses("Escape");
    await asks("network_failure");
    await person.waitsFor("No matching workspace symbols");
    await person.presses("Escape");
  });

  test("shows hits by meaning when one asked for that", async () => {
    workbench.changeSettings({ "hunch.symbols.showMeaningHits": true });
    await expect
      .poll(
        async () => {
          await person.presses("Escape");
          await asks("try_again_after_the_network_failed");
          return person.isShown("send_with_retry");
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    await person.pictures("symbols");
    await person.presses("Escape");
  });

  test("opens the search by meaning when one asked for that", async () => {
    workbench.changeSettings({ "hunch.symbols.takeOverKey": true });
    await expect
      .poll(
        async () => {
          await person.presses("Escape");
          await person.presses("Control+t");
          return person.list();
        },
        { timeout: 30_000 },
      )
      .toBe(SEARCH);
    await person.presses("Escape");
    workbench.changeSettings({ "hunch.symbols.takeOverKey": undefined });
  });
});

async function asks(text: string): Promise<void> {
  await person.presses("Control+t");
  await person.types(`#${text}`);
}
