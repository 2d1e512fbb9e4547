/** The rows of the list that a person chooses from. */
import * as vscode from "vscode";
import type { Hit, SearchResult } from "../protocol";
import { bestLine, heading, iconName, incompleteness, place, reason } from "../view/describe";

/** A row: a hit, a question asked before, or something about the index. */
export interface Row extends vscode.QuickPickItem {
  hit?: Hit;
  query?: string;
  does?: "status" | "forget";
}

/** What can be done with a hit without leaving the list. */
export const HIT_BUTTONS = {
  beside: { iconPath: new vscode.ThemeIcon("split-horizontal"), tooltip: "Open to the Side" },
  copy: { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Copy path:line" },
  related: { iconPath: new vscode.ThemeIcon("references"), tooltip: "Find Related Code" },
};

/** Rows for a result: what is missing first, then the hits as the server ranked them. */
export function resultRows(result: SearchResult): Row[] {
  const missing = incompleteness(result.index);
  const hits = result.hits.map(hitRow);
  return [...(missing === "" ? [] : [note(missing)]), ...(hits.length > 0 ? hits : [nothing()])];
}

/** Rows for the questions asked before, and one to forget them. */
export function recentRows(queries: string[]): Row[] {
  if (queries.length === 0) return [];
  return [
    ...queries.map((query) => ({ label: `$(history) ${query}`, query, alwaysShow: true })),
    { label: "$(clear-all) Clear recent searches", does: "forget", alwaysShow: true },
  ];
}

/** A row that tells what went wrong. */
export function failureRow(message: string): Row {
  return { label: `$(error) ${message}`, does: "status", alwaysShow: true };
}

function hitRow(hit: Hit): Row {
  const line = bestLine(hit);
  return {
    label: `$(${iconName(hit)}) ${heading(hit)}`,
    description: isHere(hit) ? place(hit) : `${hit.source.label} · ${place(hit)}`,
    detail: [reason(hit), line].filter((part) => part !== "").join("  —  "),
    alwaysShow: true,
    buttons: Object.values(HIT_BUTTONS),
    hit,
  };
}

/** Whether a hit's folder goes without saying: it is the only one that is open. */
function isHere({ kind, source }: Hit): boolean {
  const [only, ...others] = vscode.workspace.workspaceFolders ?? [];
  if (kind === "conversation") return true;
  return others.length === 0 && only?.uri.toString() === source.folder;
}

function note(text: string): Row {
  return { label: `$(info) ${text}`, does: "status", alwaysShow: true };
}

function nothing(): Row {
  return { label: "Nothing found", alwaysShow: true };
}
