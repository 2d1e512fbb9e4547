/** Finding the server: the setting, then PATH, then an environment of this extension's own. */
import * as vscode from "vscode";
import { NoServer } from "../server/failures";
import type { ServerCommand } from "../server/options";
import { installed, type Environment } from "./environment";
import { onPath, run } from "./programs";
import { isAtLeast, OLDEST_SERVER, versionIn } from "./versions";

/** @throws NoServer when none is there, or the one that the person named does not do */
export async function findServer(
  environment: Environment,
  log: vscode.LogOutputChannel,
): Promise<ServerCommand> {
  const set = vscode.workspace.getConfiguration("hunch").get<string>("server.path", "");
  if (set !== "") return { command: await checked(set, "of the setting hunch.server.path") };
  for (const path of await onPath(["hunch"])) {
    try {
      return { command: await checked(path, "on PATH") };
    } catch (error) {
      log.warn(error instanceof Error ? error.message : String(error));
    }
  }
  const own = await installed(environment);
  if (own === undefined) {
    throw new NoServer("no server was found on PATH, and none is installed yet.", true);
  }
  return { command: own };
}

async function checked(path: string, where: string): Promise<string> {
  const { code, output } = await run(path, ["--version"]);
  if (code !== 0) throw new NoServer(`The hunch ${where} does not run.`);
  const version = output.startsWith("hunch") ? versionIn(output) : undefined;
  if (version === undefined) throw new NoServer(`The program ${where} is not Hunch.`);
  if (isAtLeast(version, OLDEST_SERVER)) return path;
  throw new NoServer(
    `The hunch ${where} has version ${version}; this extension needs ${OLDEST_SERVER} or newer.`,
  );
}
