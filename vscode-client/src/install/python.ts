/** Choosing the Python that the server is installed with. */
import * as vscode from "vscode";
import { NoServer } from "../server/failures";
import { onPath, run } from "./programs";
import { NO_PYTHON, NO_VENV, tooOld } from "./sentences";
import { isAtLeast, OLDEST_PYTHON } from "./versions";

const NAMES = [...[14, 13, 12, 11].map((minor) => `python3.${minor}`), ...["python3", "python"]];
const PROBE =
  "import sys, importlib.util as u; print('.'.join(map(str, sys.version_info[:3])), " +
  "all(u.find_spec(m) for m in ('venv', 'ensurepip')))";

interface Python {
  path: string;
  version: string;
  canMakeEnvironments: boolean;
}

/**
 * The Python of the setting, of the Python extension, or of PATH.
 *
 * @throws NoServer in words that say what is wrong with the best one
 */
export async function choosePython(): Promise<Python> {
  const set = vscode.workspace.getConfiguration("hunch").get<string>("server.python", "");
  if (set !== "") {
    const python = await probe(set);
    if (!python) throw new NoServer(`The Python of the setting hunch.server.python does not run.`);
    return checked(python);
  }
  return best(await candidates());
}

async function candidates(): Promise<string[]> {
  const active = await ofPythonExtension();
  return [...(active === undefined ? [] : [active]), ...(await onPath(NAMES))];
}

async function best(paths: string[]): Promise<Python> {
  let rejected: Python | undefined;
  for (const path of paths) {
    const python = await probe(path);
    if (python && isGood(python)) return python;
    rejected ??= python;
  }
  if (!rejected) throw new NoServer(NO_PYTHON);
  return checked(rejected);
}

function isGood(python: Python): boolean {
  return isAtLeast(python.version, OLDEST_PYTHON) && python.canMakeEnvironments;
}

function checked(python: Python): Python {
  if (!isAtLeast(python.version, OLDEST_PYTHON)) throw new NoServer(tooOld(python.version));
  if (!python.canMakeEnvironments) throw new NoServer(NO_VENV);
  return python;
}

async function probe(path: string): Promise<Python | undefined> {
  const { code, output } = await run(path, ["-I", "-c", PROBE]);
  const [version, can] = output.trim().split(" ");
  if (code !== 0 || version === undefined) return undefined;
  return { path, version, canMakeEnvironments: can === "True" };
}

interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(): { path: string };
    resolveEnvironment(path: unknown): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

/** A folder that is not trusted may not choose what is run, and the active Python may lie in it. */
async function ofPythonExtension(): Promise<string | undefined> {
  if (!vscode.workspace.isTrusted) return undefined;
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    const environments = (await extension?.activate())?.environments;
    const active = await environments?.resolveEnvironment(environments.getActiveEnvironmentPath());
    return active?.executable.uri?.fsPath;
  } catch {
    return undefined;
  }
}
