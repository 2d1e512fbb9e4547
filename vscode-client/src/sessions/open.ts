/** Opening a conversation at one of its turns. */
import * as vscode from "vscode";
import type { Hit } from "../protocol";
import { openHit } from "../view/places";

/**
 * Open the conversation of a hit as its setting says: rendered, or as Markdown text.
 *
 * VS Code's preview of Markdown begins where the text editor is scrolled to, so the text is opened
 * at the turn first and makes way for the preview.
 */
export async function openSession(hit: Hit, beside: boolean): Promise<void> {
  const viewColumn = beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  const editor = await openHit(hit, { viewColumn, preview: true });
  if (!editor) return;
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.AtTop);
  const shape = vscode.workspace
    .getConfiguration("hunch")
    .get<string>("conversations.openAs", "rendered");
  if (shape !== "rendered") return;
  const wasOpen = textTab(hit.uri)?.isPreview === false;
  await vscode.commands.executeCommand("markdown.showPreview", editor.document.uri);
  const tab = wasOpen ? undefined : textTab(hit.uri);
  if (tab) await vscode.window.tabGroups.close(tab, true);
}

function textTab(uri: string): vscode.Tab | undefined {
  const wanted = vscode.Uri.parse(uri, true).toString();
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.find(
    ({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === wanted,
  );
}
