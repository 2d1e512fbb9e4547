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
  await vscode.commands.executeCommand("markdown.showPreview", editor.document.uri);
}
