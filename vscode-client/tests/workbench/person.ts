/** What a person does in VS Code, and what they see. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Frame, Locator, Page } from "playwright-core";

const ROW = ".quick-input-widget .quick-input-list .monaco-list-row";
const TREE = '[id="workbench.view.extension.hunch"] .monaco-list-row';

export class Person {
  constructor(private readonly page: () => Page) {}

  /**
   * Run a command of the palette, which is opened again until the command is there.
   *
   * @param search what to type, when that is not the title
   */
  async runs(title: string, search = title): Promise<void> {
    const name = new RegExp(`^${title.replace(/[.*+?^$(){}|[\]\\]/g, "\\$&")}$`);
    const row = this.at(ROW)
      .filter({ has: this.at(".label-name", name) })
      .first();
    for (let tries = 0; tries < 20; tries++) {
      await this.presses("F1");
      if ((await this.fills(`>${search}`)) && (await this.clicks(row))) return;
      await this.presses("Escape");
    }
    throw new Error(`the palette has no “${title}”`);
  }

  /** Open a file of the workspace by its name. */
  async opens(name: string): Promise<void> {
    const row = this.at(`${ROW}[aria-label*="${name}"]`).first();
    do await this.presses("Control+p");
    while (!((await this.fills(name)) && (await this.clicks(row))));
    await this.at(`.part.editor .tab.active[data-resource-name="${name}"]`).first().waitFor();
  }

  async goesTo(line: number): Promise<void> {
    const there = this.at('[id="status.editor.selection"]', new RegExp(`Ln ${line},`));
    do {
      await this.presses("Control+g");
      if (await this.fills(`:${line}`)) await this.presses("Enter");
    } while (!(await this.appears(there)));
  }

  /** Wait for a list with this placeholder. */
  async meets(placeholder: string): Promise<void> {
    await this.at(`.quick-input-widget input[placeholder="${placeholder}"]`).waitFor();
  }

  /** The placeholder of the list that is open; empty without one. */
  async list(): Promise<string> {
    const input = this.at(".quick-input-widget:visible input.input").first();
    return (await input.count()) > 0 ? ((await input.getAttribute("placeholder")) ?? "") : "";
  }

  async types(text: string): Promise<void> {
    await this.input().fill(text);
  }

  /** Type into the editor. */
  async writes(text: string): Promise<void> {
    await this.page().keyboard.insertText(text);
  }

  async presses(key: string): Promise<void> {
    await this.page().keyboard.press(key);
  }

  /** What the rows of the list say, top to bottom. */
  async sees(): Promise<string[]> {
    const told = await this.at(ROW).evaluateAll((rows) =>
      rows.map((row) => ({
        index: Number(row.getAttribute("data-index")),
        text: row.getAttribute("aria-label") ?? "",
      })),
    );
    return told.sort((one, other) => one.index - other.index).map(({ text }) => text);
  }

  async waitsFor(text: string): Promise<void> {
    await this.row(text).waitFor();
  }

  /** Whether a row of the list appears within a few seconds. */
  isShown(text: string): Promise<boolean> {
    return this.appears(this.row(text), 5_000);
  }

  /** Press a button of a row. */
  async pressesIn(text: string, button: string): Promise<void> {
    await this.row(text).hover();
    await this.row(text).locator(`[aria-label="${button}"]`).click();
  }

  /** Press a button in the title of the list. */
  async pressesAbove(button: string): Promise<void> {
    await this.at(`.quick-input-titlebar [aria-label="${button}"]`).click();
  }

  /** Tick a row of a list that takes several, and close it. */
  async ticks(text: string): Promise<void> {
    await this.row(text).locator(".monaco-checkbox, input[type=checkbox]").first().click();
    await this.at(".quick-input-widget .quick-input-action .monaco-button").first().click();
  }

  async picksAction(title: string): Promise<void> {
    await this.at(".action-widget .monaco-list-row", new RegExp(title)).first().click();
  }

  /** The file of the active tab. */
  async tab(): Promise<string> {
    const [name] = await this.names(".part.editor .editor-group-container.active .tab.active");
    return name ?? "";
  }

  /** The files of all tabs. */
  tabs(): Promise<string[]> {
    return this.names(".part.editor .tab");
  }

  groups(): Promise<number> {
    return this.at(".part.editor .editor-group-container").count();
  }

  /** The line of the cursor, from 1. */
  async line(): Promise<number> {
    const text = await this.at('[id="status.editor.selection"]').innerText();
    return Number(/Ln (\d+)/.exec(text)?.[1]);
  }

  /** Press a key in the editor and tell the line of the cursor. */
  async moves(key: string): Promise<number> {
    await this.presses(key);
    return this.line();
  }

  clipboard(): Promise<string> {
    return this.page().evaluate(() => navigator.clipboard.readText());
  }

  async closesAll(): Promise<void> {
    await this.runs("View: Close All Editors");
    await this.at(".part.editor .tab").first().waitFor({ state: "detached" });
  }

  /** What stands beside the language in the status bar. */
  async languageStatus(): Promise<string> {
    const item = this.at('[id="status.languageStatus"]');
    if ((await item.count()) === 0) return "";
    return item.first().evaluate((node) => node.outerHTML);
  }

  async looksAtLanguageStatus(): Promise<void> {
    await this.at('[id="status.languageStatus"]').first().click();
    await this.at(".hover-language-status").first().waitFor();
  }

  /** The rows of the problems that Hunch shows. */
  async problems(): Promise<string[]> {
    await this.presses("Escape");
    await this.runs("Hunch: Show Problems");
    const isList = await this.appears(this.at(ROW).first());
    return isList ? this.sees() : [];
  }

  /** The rows of the view in the side bar. */
  async tree(): Promise<string[]> {
    return this.at(TREE).evaluateAll((rows) =>
      rows.map((row) => row.getAttribute("aria-label") ?? ""),
    );
  }

  async picksInTree(text: string): Promise<void> {
    await this.at(`${TREE}[aria-label*="${text}"]`).first().click();
  }

  /** Wait for a message with this text. */
  async isTold(text: string): Promise<void> {
    await this.at(".notifications-toasts .notification-list-item-message", new RegExp(text))
      .first()
      .waitFor({ timeout: 60_000 });
  }

  messageButtons(): Promise<string[]> {
    return this.at(".notifications-toasts .monaco-button").allInnerTexts();
  }

  /** Wait for words anywhere on the page. */
  async reads(text: string): Promise<void> {
    await this.page().getByText(text).first().waitFor();
  }

  /** The page inside the active webview. */
  async rendered(): Promise<Frame> {
    const outer = this.page().frameLocator("iframe.webview.ready");
    const inner = outer.locator("iframe#active-frame");
    await inner.waitFor();
    const frame = await (await inner.elementHandle()).contentFrame();
    if (!frame) throw new Error("the webview has no page");
    return frame;
  }

  /** Keep a picture, when a folder for them is named. */
  async pictures(name: string): Promise<void> {
    const folder = process.env.HUNCH_SHOTS;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await this.page().screenshot({ path: join(folder, `${name}.png`) });
  }

  private at(selector: string, text?: RegExp): Locator {
    return this.page().locator(selector, text && { hasText: text });
  }

  private row(text: string): Locator {
    return this.at(`${ROW}[aria-label*="${text}"]`).first();
  }

  private input(): Locator {
    return this.at(".quick-input-widget input.input").first();
  }

  /** Click a row; false when it does not come or goes meanwhile. */
  private clicks(row: Locator): Promise<boolean> {
    return row.click({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  }

  /** Type into the list that is open; false when it is closed meanwhile. */
  private fills(text: string): Promise<boolean> {
    const filled = this.input().fill(text, { timeout: 2_000 });
    return filled.then(
      () => true,
      () => false,
    );
  }

  private names(selector: string): Promise<string[]> {
    return this.at(selector).evaluateAll((tabs) =>
      tabs.map((tab) => tab.getAttribute("data-resource-name") ?? ""),
    );
  }

  private appears(row: Locator, timeout = 1_500): Promise<boolean> {
    return row.waitFor({ timeout }).then(
      () => true,
      () => false,
    );
  }
}
