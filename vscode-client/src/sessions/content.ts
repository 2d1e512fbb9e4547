/** Conversations as documents. */
import * as vscode from "vscode";
import type { Server } from "../server/server";

/** Answers the text of `hunch-session:` documents; a tab restored early waits for the server. */
export class SessionContent implements vscode.TextDocumentContentProvider {
  constructor(private readonly server: Server) {}

  async provideTextDocumentContent(
    uri: vscode.Uri,
    token: vscode.CancellationToken,
  ): Promise<string> {
    const content = await this.server.request("hunch/content", { uri: uri.toString() }, token);
    return content.text;
  }
}
