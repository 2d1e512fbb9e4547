/** The small menus behind the filter buttons of a list. */
import * as vscode from "vscode";
import { LANGUAGES } from "./languages";
import { daysAgo, isDate, type Filters } from "./filters";

export type FilterButton = "kind" | "scope" | "language" | "agent" | "since";

const button = (icon: string, tooltip: string): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon(icon),
  tooltip,
});

export const FILTER_BUTTONS: Record<FilterButton, vscode.QuickInputButton> = {
  kind: button("filter", "Filter by Kind"),
  scope: button("globe", "This Workspace or Everywhere"),
  language: button("code", "Filter by Language"),
  agent: button("comment-discussion", "Filter by Agent"),
  since: button("calendar", "Filter by Date"),
};

const KINDS = ["code", "docs", "conversation", "note", "message"];
const SPANS: [string, number][] = [
  ["Today", 0],
  ["Last 7 days", 7],
  ["Last 30 days", 30],
  ["Last year", 365],
];

/**
 * Let the person change one part of a filter.
 *
 * @param agents asks which agents there are
 * @returns undefined when they thought better of it
 */
export async function editFilters(
  name: FilterButton,
  filters: Filters,
  agents: () => Promise<string[]>,
): Promise<Filters | undefined> {
  switch (name) {
    case "kind":
      return changed(filters, "kinds", await chooseSome("Kinds", KINDS, filters.kinds));
    case "language":
      return changed(
        filters,
        "languages",
        await chooseSome("Languages", LANGUAGES, filters.languages),
      );
    case "agent":
      return changed(filters, "agents", await chooseSome("Agents", await agents(), filters.agents));
    case "scope":
      return { ...filters, scope: filters.scope === "everywhere" ? "workspace" : "everywhere" };
    case "since":
      return changed(filters, "since", await chooseDate());
  }
}

function changed<K extends keyof Filters>(
  filters: Filters,
  key: K,
  value: Filters[K] | undefined,
): Filters | undefined {
  return value === undefined ? undefined : { ...filters, [key]: value };
}

async function chooseSome(
  title: string,
  names: string[],
  picked: string[],
): Promise<string[] | undefined> {
  const rows = names.map((label) => ({ label, picked: picked.includes(label) }));
  const chosen = await vscode.window.showQuickPick(rows, {
    title,
    placeHolder: "None restricts nothing",
    canPickMany: true,
  });
  return chosen?.map((row) => row.label);
}

async function chooseDate(): Promise<string | undefined> {
  const now = new Date();
  const rows = [
    { label: "Any time", date: "" },
    ...SPANS.map(([label, days]) => {
      const date = daysAgo(days, now);
      return { label, description: `since ${date}`, date };
    }),
    { label: "Since a date…", date: undefined },
  ];
  const chosen = await vscode.window.showQuickPick(rows, { title: "Changed or said" });
  return chosen && chosen.date === undefined ? askDate() : chosen?.date;
}

async function askDate(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: "Since",
    placeHolder: "YYYY-MM-DD",
    validateInput: (text) => (isDate(text) ? undefined : "A date such as 2026-10-01"),
  });
}
