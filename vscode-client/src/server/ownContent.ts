/** Keeps the reading of conversations with this extension. */
import type { ServerCapabilities, StaticFeature } from "vscode-languageclient/node";

/**
 * Hides that the server offers the text of conversations in LSP's own way.
 *
 * A tab with a conversation may be restored before there is a server, so this extension has a
 * provider that waits for it; a second one would answer the same question twice.
 */
export const ownContent: StaticFeature = {
  fillClientCapabilities: () => undefined,
  preInitialize: (capabilities: ServerCapabilities) => {
    if (capabilities.workspace) delete capabilities.workspace.textDocumentContent;
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};
