/** Running small programs and finding them, never in the folder that is open. */
import { spawn } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** What a program said, both of its streams together, and how it ended. */
export interface Outcome {
  code: number;
  output: string;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  /** Ends the program. */
  signal?: AbortSignal;
  /** Gets every line at once. */
  onLine?: (line: string) => void;
}

/** Run a program to its end; one that cannot be started ends with code -1. */
export function run(command: string, args: string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((done) => {
    let output = "";
    const take = (chunk: Buffer): void => {
      const text = chunk.toString("utf8");
      output += text;
      text
        .split(/\r?\n/)
        .filter(Boolean)
        .forEach((line) => options.onLine?.(line));
    };
    const child = spawn(command, args, {
      cwd: homedir(),
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.signal && { signal: options.signal }),
    });
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => {
      done({ code: -1, output: `${output}${error.message}` });
    });
    child.on("close", (code) => {
      done({ code: code ?? -1, output });
    });
  });
}

/**
 * Find programs by name in the absolute folders of PATH, in PATH's order for each name.
 *
 * A relative folder would be looked up in whatever folder is open, and is left out.
 */
export async function onPath(names: string[], path = process.env.PATH ?? ""): Promise<string[]> {
  const endings = process.platform === "win32" ? [".exe"] : [""];
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const places = names.flatMap((name) =>
    folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))),
  );
  const found = await Promise.all(places.map(isProgram));
  return places.filter((_, index) => found[index]);
}

/** Whether a file can be run. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
