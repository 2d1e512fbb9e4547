/** The item beside the language of a document that tells how Hunch is. */
import * as vscode from "vscode";
import { SELECTOR } from "./options";
import type { Health, Server } from "./server";
import { stateWords } from "../view/statusRows";
import type { IndexState } from "../protocol";

const BUSY = new Set(["starting", "indexing"]);

const HEALTH: Record<Health, string> = {
  starting: "Hunch: starting",
  running: "Hunch",
  stopped: "Hunch: stopped",
  missing: "Hunch: no server",
};

/** Create the item and keep it true. */
export function statusItem(server: Server): vscode.Disposable {
  const item = vscode.languages.createLanguageStatusItem("hunch.status", SELECTOR);
  item.name = "Hunch";
  showHealth(item, "starting");
  return vscode.Disposable.from(
    item,
    server.onDidChangeHealth((health) => {
      showHealth(item, health);
    }),
    server.onDidChangeIndex((index) => {
      showIndex(item, index);
    }),
  );
}

function showHealth(item: vscode.LanguageStatusItem, health: Health): void {
  const isWell = health === "starting" || health === "running";
  item.text = HEALTH[health];
  item.detail = "";
  item.busy = health === "starting";
  item.severity = isWell
    ? vscode.LanguageStatusSeverity.Information
    : vscode.LanguageStatusSeverity.Error;
  item.command = isWell
    ? { command: "hunch.showStatus", title: "Status" }
    : { command: "hunch.showLogs", title: "Show Logs" };
}

function showIndex(item: vscode.LanguageStatusItem, index: IndexState): void {
  item.text = `Hunch: ${stateWords(index).toLowerCase()}`;
  item.detail = `${index.counts.documents} documents · ${index.embedder.model}`;
  item.busy = BUSY.has(index.state);
  item.severity = severity(index.state);
  item.command = { command: "hunch.showStatus", title: "Status" };
}

function severity(state: string): vscode.LanguageStatusSeverity {
  if (state === "failed") return vscode.LanguageStatusSeverity.Error;
  if (state === "degraded") return vscode.LanguageStatusSeverity.Warning;
  return vscode.LanguageStatusSeverity.Information;
}
