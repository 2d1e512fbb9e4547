/** Telling what went wrong, with what can be done about it. */
import * as vscode from "vscode";
import { NoServer, sentence } from "../server/failures";

const COMMANDS: Record<string, string> = {
  "Install Server": "hunch.installServer",
  "Restart Server": "hunch.restartServer",
  "Choose Python": "hunch.choosePython",
  "Show Logs": "hunch.showLogs",
};

/** Show one message with the buttons that help; waits until it is answered or gone. */
export async function tell(error: unknown): Promise<void> {
  const chosen = await vscode.window.showErrorMessage(
    `Hunch: ${sentence(error)}`,
    ...buttons(error),
  );
  const command = chosen === undefined ? undefined : COMMANDS[chosen];
  if (command !== undefined) await vscode.commands.executeCommand(command);
}

function buttons(error: unknown): string[] {
  if (!(error instanceof NoServer)) return ["Show Logs"];
  return [error.canInstall ? "Install Server" : "Restart Server", "Show Logs"];
}
