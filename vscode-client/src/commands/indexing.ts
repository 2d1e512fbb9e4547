/** Looking at folders again, and stopping and going on with it. */
import * as vscode from "vscode";
import type { Hunch } from "../context";

export async function reindexFolders(hunch: Hunch): Promise<void> {
  const changed = {
    label: "$(refresh) Look for Changes",
    description: "read what changed",
    force: false,
  };
  const anew = {
    label: "$(sync) Read Everything Anew",
    description: "read and embed every file again",
    force: true,
  };
  const chosen = await vscode.window.showQuickPick([changed, anew], { title: "Hunch: Reindex" });
  if (chosen) await hunch.server.request("hunch/reindex", { force: chosen.force });
}

export async function pauseIndexing(hunch: Hunch): Promise<void> {
  await hunch.server.request("hunch/pause", {});
}

export async function resumeIndexing(hunch: Hunch): Promise<void> {
  await hunch.server.request("hunch/resume", {});
}
