/** Showing which files are not, or not wholly, in the index. */
import * as vscode from "vscode";
import type { Hunch } from "../context";

const ICONS: Record<string, string> = { skipped: "circle-slash", failed: "error" };

export async function showProblems(hunch: Hunch): Promise<void> {
  const problems = await hunch.server.request("hunch/problems", {});
  if (problems.length === 0) {
    await vscode.window.showInformationMessage("Hunch: every file is in the index.");
    return;
  }
  const items = problems.map((problem) => {
    const uri = vscode.Uri.parse(problem.uri, true);
    return {
      label: `$(${ICONS[problem.state] ?? "warning"}) ${vscode.workspace.asRelativePath(uri)}`,
      description: problem.reason,
      uri,
    };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Hunch: Problems",
    placeHolder: "Files that are not, or not wholly, in the index",
    matchOnDescription: true,
  });
  if (chosen) await vscode.commands.executeCommand("vscode.open", chosen.uri);
}
