/** Opening what was found. */
import * as vscode from "vscode";
import type { Hit, Range } from "../protocol";

/** The scheme of the cells of an open notebook. */
export const CELL_SCHEME = "vscode-notebook-cell";

/** VS Code's own form of a range. */
export function toRange(range: Range): vscode.Range {
  const { start, end } = range;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Open a hit with the cursor at its beginning, the hit in the middle of the screen. */
export async function openHit(
  hit: Hit,
  options: vscode.TextDocumentShowOptions = {},
): Promise<vscode.TextEditor | undefined> {
  const uri = vscode.Uri.parse(hit.uri, true);
  if (uri.scheme === CELL_SCHEME) return openCell(uri, options);
  const document = await vscode.workspace.openTextDocument(uri);
  return showAt(document, toRange(hit.range), options);
}

/** Show a document with the cursor at the beginning of a range. */
export async function showAt(
  document: vscode.TextDocument,
  wanted: vscode.Range,
  options: vscode.TextDocumentShowOptions,
): Promise<vscode.TextEditor> {
  const range = document.validateRange(wanted);
  const editor = await vscode.window.showTextDocument(document, options);
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}

async function openCell(
  uri: vscode.Uri,
  options: vscode.TextDocumentShowOptions,
): Promise<undefined> {
  const isCell = (cell: vscode.NotebookCell): boolean =>
    cell.document.uri.toString() === uri.toString();
  const notebook = vscode.workspace.notebookDocuments.find((one) => one.getCells().some(isCell));
  if (!notebook) return;
  const index = notebook.getCells().findIndex(isCell);
  await vscode.window.showNotebookDocument(notebook, {
    ...(options.viewColumn !== undefined && { viewColumn: options.viewColumn }),
    ...(options.preserveFocus !== undefined && { preserveFocus: options.preserveFocus }),
    selections: [new vscode.NotebookRange(index, index + 1)],
  });
}
