/** Finding what is like a piece of code. */
import * as vscode from "vscode";
import type { Hunch } from "../context";
import { NO_FILTERS, toParams } from "../pick/filters";
import { HitPick } from "../pick/hitPick";
import type { Hit, RelatedParams } from "../protocol";

const LIMIT = 50;

/** From the selection of the active editor, or the chunk around the cursor; saved or not. */
export async function findRelated(hunch: Hunch): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    await vscode.window.showInformationMessage("Hunch: open a file to find code like it.");
    return;
  }
  const { document, selection } = editor;
  showRelated(hunch, {
    textDocument: { uri: document.uri.toString() },
    ...(selection.isEmpty
      ? { position: selection.active }
      : { range: { start: selection.start, end: selection.end } }),
  });
}

/** From a hit in a list. */
export function findRelatedTo(hunch: Hunch, hit: Hit): void {
  showRelated(hunch, { textDocument: { uri: hit.uri }, range: hit.range }, hit.title);
}

/** Show what is like the piece that the params name; what the server's code action runs, too. */
export function showRelated(hunch: Hunch, params: RelatedParams, name = ""): void {
  const piece = { ...params };
  delete piece.show;
  new HitPick(
    {
      title: name ? `Related to ${name}` : "Related Code",
      placeholder: "Type to narrow the list",
      filters: NO_FILTERS,
      buttons: ["kind", "scope", "language", "since"],
      isTyped: false,
      ask: (_, filters, token) =>
        hunch.server.request(
          "hunch/related",
          { ...piece, limit: LIMIT, filter: toParams(filters) },
          token,
        ),
    },
    hunch.outcomes,
  ).show();
}
