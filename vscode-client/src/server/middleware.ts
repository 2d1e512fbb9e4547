/** What this client does between VS Code and the server. */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import { SHOW_RELATED, type RelatedParams } from "../protocol";
import { explicitSettings } from "./settings";
import { paddedNames } from "./symbols";

/** The answer to `workspace/configuration` for the section `hunch`. */
export function serverSettings(): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration("hunch");
  return explicitSettings(
    (name) => section.inspect(name),
    (name) => section.get(name),
  );
}

/** @param showRelated what the server's code action does here */
export function middleware(showRelated: (params: RelatedParams) => void): Middleware {
  return {
    workspace: {
      configuration: (params) => params.items.map(() => serverSettings()),
    },
    executeCommand: (command, args: unknown[], next): unknown => {
      if (command !== SHOW_RELATED) return next(command, args);
      showRelated(args[0] as RelatedParams);
      return null;
    },
    provideWorkspaceSymbols: async (query, token, next) => {
      const symbols = await next(query, token);
      const isPadded = vscode.workspace
        .getConfiguration("hunch")
        .get<boolean>("symbols.showMeaningHits", false);
      return isPadded && symbols ? paddedNames(query, symbols) : symbols;
    },
  };
}
