/** A list of hits to choose from, asked for again whenever the question or the filter changes. */
import * as vscode from "vscode";
import type { Hit, SearchResult } from "../protocol";
import { isCancellation, sentence } from "../server/failures";
import { describe, type Filters } from "./filters";
import { place } from "../view/describe";
import { editFilters, FILTER_BUTTONS, type FilterButton } from "./filterMenus";
import { Preview } from "./preview";
import { failureRow, HIT_BUTTONS, resultRows, type Row } from "./rows";

const DEBOUNCE_MS = 150;

/** What one kind of list is about. */
export interface Question {
  title: string;
  placeholder: string;
  filters: Filters;
  /** The filters that can be changed here. */
  buttons: FilterButton[];
  /** What is asked first. */
  value?: string;
  /** Whether what is typed is the question; else it narrows the rows that are there. */
  isTyped: boolean;
  /** Rows to show while nothing is typed. */
  whenEmpty?: () => Row[];
  ask(value: string, filters: Filters, token: vscode.CancellationToken): Promise<SearchResult>;
}

/** What happens to a row that the list itself knows nothing about. */
export interface Outcomes {
  open(hit: Hit, beside: boolean, question: string): Promise<void>;
  related(hit: Hit): Promise<void>;
  toPanel(result: SearchResult, question: Question, value: string, filters: Filters): Promise<void>;
  forgetRecent(): Promise<void>;
  showStatus(): Promise<void>;
  agents(): Promise<string[]>;
  onDidBecomeReady: vscode.Event<unknown>;
}

const PANEL_BUTTON = {
  iconPath: new vscode.ThemeIcon("list-tree"),
  tooltip: "Show in Results View",
};

export class HitPick implements vscode.Disposable {
  private readonly list = vscode.window.createQuickPick<Row>();
  private readonly preview = new Preview();
  private readonly listeners: vscode.Disposable[] = [];
  private filters: Filters;
  private asking: vscode.CancellationTokenSource | undefined;
  private timer: NodeJS.Timeout | undefined;
  private result: SearchResult | undefined;
  private isAside = false;
  private isDone = false;

  constructor(
    private readonly question: Question,
    private readonly outcomes: Outcomes,
  ) {
    this.filters = question.filters;
    this.list.placeholder = question.placeholder;
    this.list.value = question.value ?? "";
    this.list.matchOnDescription = !question.isTyped;
    this.list.matchOnDetail = !question.isTyped;
    // Formally a proposal, but there since 2019: without it VS Code puts rows whose label matches
    // what is typed before better hits. See microsoft/vscode#73904.
    (this.list as { sortByLabel?: boolean }).sortByLabel = false;
    this.listen();
  }

  /** Show the list and ask at once. */
  show(): void {
    this.showTitle();
    this.list.show();
    void this.ask();
  }

  dispose(): void {
    this.isDone = true;
    clearTimeout(this.timer);
    this.asking?.cancel();
    vscode.Disposable.from(this.list, this.preview, ...this.listeners).dispose();
  }

  private listen(): void {
    this.listeners.push(
      this.list.onDidChangeValue(() => {
        this.askSoon();
      }),
      this.list.onDidChangeActive(([row]) => {
        if (row?.hit) void this.preview.show(row.hit).catch(() => undefined);
      }),
      this.list.onDidAccept(() => void this.accept(this.list.activeItems[0])),
      this.list.onDidTriggerItemButton(({ button, item }) => void this.press(button, item)),
      this.list.onDidTriggerButton((button) => void this.pressAbove(button)),
      this.list.onDidHide(() => void this.hidden()),
      this.outcomes.onDidBecomeReady(() => void this.ask()),
    );
  }

  private showTitle(): void {
    const narrowed = describe(this.filters, this.question.filters);
    this.list.title = narrowed ? `${this.question.title}  —  ${narrowed}` : this.question.title;
    const { buttons } = this.question;
    this.list.buttons = [...buttons.map((name) => FILTER_BUTTONS[name]), PANEL_BUTTON];
  }

  private askSoon(): void {
    if (!this.question.isTyped) return;
    this.asking?.cancel();
    clearTimeout(this.timer);
    this.list.busy = this.list.value.trim() !== "";
    this.timer = setTimeout(() => void this.ask(), DEBOUNCE_MS);
  }

  /** Ask for what is typed; the answer to an older question is never shown. */
  private async ask(): Promise<void> {
    this.asking?.cancel();
    const asking = (this.asking = new vscode.CancellationTokenSource());
    const value = this.list.value.trim();
    this.list.busy = true;
    const rows = await this.rows(value, asking.token);
    asking.dispose();
    if (this.asking !== asking || this.isDone || rows === undefined) return;
    this.list.busy = false;
    this.list.items = rows;
    const first = rows.find((row) => row.hit);
    if (first) this.list.activeItems = [first];
  }

  private async rows(value: string, token: vscode.CancellationToken): Promise<Row[] | undefined> {
    if (this.question.isTyped && value === "") {
      this.result = undefined;
      return this.question.whenEmpty?.() ?? [];
    }
    try {
      this.result = await this.question.ask(value, this.filters, token);
      const rows = resultRows(this.result);
      return this.question.isTyped ? rows : rows.map((row) => ({ ...row, alwaysShow: false }));
    } catch (error) {
      return isCancellation(error) ? undefined : [failureRow(sentence(error))];
    }
  }

  private async accept(row: Row | undefined): Promise<void> {
    if (row?.query !== undefined) {
      this.list.value = row.query;
      return this.ask();
    }
    if (row?.does === "forget") {
      await this.outcomes.forgetRecent();
      return this.ask();
    }
    if (row?.hit) {
      const { hit } = row;
      return this.finish(() => this.outcomes.open(hit, false, this.list.value));
    }
    if (row?.does === "status") return this.leave(() => this.outcomes.showStatus());
  }

  private async press(button: vscode.QuickInputButton, { hit }: Row): Promise<void> {
    if (!hit) return;
    if (button === HIT_BUTTONS.copy) {
      await vscode.env.clipboard.writeText(place(hit));
    } else if (button === HIT_BUTTONS.beside) {
      const question = this.list.value;
      await this.leave(() => this.outcomes.open(hit, true, question));
    } else if (button === HIT_BUTTONS.related) {
      await this.finish(() => this.outcomes.related(hit));
    }
  }

  private async pressAbove(button: vscode.QuickInputButton): Promise<void> {
    const { result, question, filters } = this;
    const { value } = this.list;
    if (button === PANEL_BUTTON) {
      if (result) await this.leave(() => this.outcomes.toPanel(result, question, value, filters));
      return;
    }
    const name = question.buttons.find((one) => FILTER_BUTTONS[one] === button);
    if (!name) return;
    this.isAside = true;
    this.filters =
      (await editFilters(name, this.filters, () => this.outcomes.agents())) ?? this.filters;
    this.isAside = false;
    this.show();
  }

  /** Close the list and go on from where the person was. */
  private async leave(next: () => Promise<void>): Promise<void> {
    this.isAside = true;
    this.list.hide();
    await this.preview.restore();
    await this.finish(next);
  }

  /** Close the list and go on from what is shown. */
  private async finish(next: () => Promise<void>): Promise<void> {
    this.isAside = true;
    this.dispose();
    try {
      await next();
    } catch (error) {
      void vscode.window.showErrorMessage(`Hunch: ${sentence(error)}`);
    }
  }

  private async hidden(): Promise<void> {
    if (this.isAside) return;
    await this.preview.restore();
    this.dispose();
  }
}
