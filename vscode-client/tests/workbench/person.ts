/** What a person does in VS Code, and what they see. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";

const ROW = ".quick-input-widget .quick-input-list .monaco-list-row";

export class Person {
  constructor(private readonly page: () => Page) {}

  /** Run a command of the palette; it is opened again until the command is there. */
  async runs(title: string): Promise<void> {
    const row = this.page()
      .locator(ROW)
      .filter({
        has: this.page().locator(".label-name", { hasText: new RegExp(`^${title}$`) }),
      });
    for (let tries = 0; tries < 20; tries++) {
      await this.page().keyboard.press("F1");
      await this.input().waitFor();
      await this.input().fill(`>${title}`);
      if (await appears(row.first())) {
        await row.first().click();
        return;
      }
      await this.page().keyboard.press("Escape");
    }
    throw new Error(`the palette has no “${title}”`);
  }

  /** Wait for a list with this placeholder. */
  async meets(placeholder: string): Promise<void> {
    await this.page().locator(`.quick-input-widget input[placeholder="${placeholder}"]`).waitFor();
  }

  async types(text: string): Promise<void> {
    await this.input().fill(text);
  }

  async presses(key: string): Promise<void> {
    await this.page().keyboard.press(key);
  }

  /** What the rows of the list say, top to bottom. */
  async sees(): Promise<string[]> {
    const rows = await this.page().locator(ROW).all();
    const told = await Promise.all(
      rows.map(async (row) => ({
        index: Number(await row.getAttribute("data-index")),
        text: (await row.getAttribute("aria-label")) ?? "",
      })),
    );
    return told.sort((one, other) => one.index - other.index).map(({ text }) => text);
  }

  row(text: string): Locator {
    return this.page().locator(`${ROW}[aria-label*="${text}"]`).first();
  }

  /** The file of the active tab. */
  async tab(): Promise<string> {
    const tab = this.page().locator(".part.editor .tab.active").first();
    return (await tab.count()) > 0 ? ((await tab.getAttribute("data-resource-name")) ?? "") : "";
  }

  /** The line of the cursor, from 1. */
  async line(): Promise<number> {
    const text = await this.page().locator('[id="status.editor.selection"]').innerText();
    return Number(/Ln (\d+)/.exec(text)?.[1]);
  }

  /** Keep a picture, when a folder for them is named. */
  async pictures(name: string): Promise<void> {
    const folder = process.env.HUNCH_SHOTS;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await this.page().screenshot({ path: join(folder, `${name}.png`) });
  }

  private input(): Locator {
    return this.page().locator(".quick-input-widget input.input").first();
  }
}

async function appears(row: Locator): Promise<boolean> {
  return row.waitFor({ timeout: 1_500 }).then(
    () => true,
    () => false,
  );
}
