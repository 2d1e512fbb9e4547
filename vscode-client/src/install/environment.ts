/** The environment that this extension makes for the server, once for each version of itself. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LogOutputChannel } from "vscode";
import { NoServer } from "../server/failures";
import { isProgram, run, type RunOptions } from "./programs";
import { NO_VENV, pipFailure } from "./sentences";

/** Where the environment lies, and what goes into it. */
export interface Environment {
  /** The folder that holds one environment for each version. */
  storage: string;
  version: string;
  /** The wheel that this extension brings, or the name of a package. */
  requirement: string;
}

const PROGRAMS = process.platform === "win32" ? "Scripts" : "bin";
const ENDING = process.platform === "win32" ? ".exe" : "";
const MARK = "complete";

function folder({ storage, version }: Environment): string {
  return join(storage, `server-${version}`);
}

function program(environment: Environment, name: string): string {
  return join(folder(environment), PROGRAMS, name + ENDING);
}

/** The server's program in an environment that was made to its end; undefined without one. */
export async function installed(environment: Environment): Promise<string | undefined> {
  const path = program(environment, "hunch");
  const isComplete = (await readdir(folder(environment)).catch((): string[] => [])).includes(MARK);
  return isComplete && (await isProgram(path)) ? path : undefined;
}

/**
 * Make the environment and install the server into it; environments of other versions go.
 *
 * @param python the program to make it with
 * @param options what to tell of the progress, how to stop, and the proxy in `env`
 * @throws NoServer in words that say what to do; nothing half-made is left behind
 */
export async function install(
  environment: Environment,
  python: string,
  log: LogOutputChannel,
  options: RunOptions,
): Promise<void> {
  const target = folder(environment);
  await mkdir(environment.storage, { recursive: true });
  try {
    await step(log, python, ["-I", "-m", "venv", "--clear", target], options, () => NO_VENV);
    const pip = ["-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"];
    const args = [...pip, environment.requirement];
    await step(log, program(environment, "python"), args, options, pipFailure);
    await writeFile(join(target, MARK), "");
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
  await removeOthers(environment);
}

async function step(
  log: LogOutputChannel,
  command: string,
  args: string[],
  options: RunOptions,
  failure: (output: string) => string,
): Promise<void> {
  log.info("Running", command, ...args);
  const { code, output } = await run(command, args, options);
  if (options.signal?.aborted) throw new NoServer("The installation was cancelled.");
  if (code === 0) return;
  log.error(output);
  throw new NoServer(failure(output));
}

async function removeOthers(environment: Environment): Promise<void> {
  const current = `server-${environment.version}`;
  const names = await readdir(environment.storage);
  const others = names.filter((name) => name.startsWith("server-") && name !== current);
  await Promise.all(
    others.map((name) => rm(join(environment.storage, name), { recursive: true, force: true })),
  );
}
