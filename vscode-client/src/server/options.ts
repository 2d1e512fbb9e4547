/** How the language client is set up. */
import type { LogOutputChannel } from "vscode";
import {
  RevealOutputChannelOn,
  type Executable,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";

/** The program `hunch`. */
export interface ServerCommand {
  command: string;
}

/** Documents whose text on the screen is searched, saved or not. */
export const SELECTOR = [
  { scheme: "file" },
  { scheme: "untitled" },
  { scheme: "vscode-notebook-cell" },
];

/** Standard input and output is what `vscode-languageclient` uses when no transport is named. */
export function executable(server: ServerCommand, cwd: string): Executable {
  return { command: server.command, args: ["serve"], options: { cwd } };
}

/** @param settings what the person set, for `initializationOptions` */
export function clientOptions(
  log: LogOutputChannel,
  middleware: Middleware,
  settings: Record<string, unknown>,
): LanguageClientOptions {
  return {
    documentSelector: SELECTOR,
    outputChannel: log,
    traceOutputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: settings,
    initializationFailedHandler: () => false,
    middleware,
    progressOnInitialization: false,
  };
}
