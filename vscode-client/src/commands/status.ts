/** Showing how the index is, with what can be done about it. */
import * as vscode from "vscode";
import type { Hunch } from "../context";
import { statusRows } from "../view/statusRows";

interface StatusItem extends vscode.QuickPickItem {
  command?: string;
}

export async function showStatus(hunch: Hunch): Promise<void> {
  const index = await hunch.server.request("hunch/status", {});
  const left = index.counts.skipped + index.counts.failed + index.counts.notUnderstood;
  const isPaused = index.state === "paused";
  const items: StatusItem[] = [
    ...statusRows(index),
    { label: "Actions", kind: vscode.QuickPickItemKind.Separator },
    action("warning", `Show Problems (${left})`, "hunch.showProblems"),
    isPaused
      ? action("debug-start", "Resume Indexing", "hunch.resumeIndexing")
      : action("debug-pause", "Pause Indexing", "hunch.pauseIndexing"),
    action("refresh", "Reindex", "hunch.reindexFolders"),
    action("debug-restart", "Restart Server", "hunch.restartServer"),
    action("output", "Show Logs", "hunch.showLogs"),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Hunch: Status",
    placeHolder: "How the index is",
    matchOnDescription: true,
  });
  if (chosen?.command) await vscode.commands.executeCommand(chosen.command);
}

function action(icon: string, label: string, command: string): StatusItem {
  return { label: `$(${icon}) ${label}`, command };
}
