/** Installing the server with the person's Python, and choosing that Python. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Hunch } from "../context";
import { install, type Environment } from "../install/environment";
import { choosePython } from "../install/python";

/** The environment of this version of the extension; the wheel that it brings, else the package. */
export async function ownEnvironment(extension: vscode.ExtensionContext): Promise<Environment> {
  const { version } = extension.extension.packageJSON as { version: string };
  const bundled = join(extension.extensionPath, "bundled");
  const wheel = (await readdir(bundled).catch((): string[] => [])).find((name) =>
    name.endsWith(".whl"),
  );
  return {
    storage: extension.globalStorageUri.fsPath,
    version,
    requirement: wheel === undefined ? `hunch-ls==${version}` : join(bundled, wheel),
  };
}

let installing: Promise<void> | undefined;

/** Install the server; asked again while it is being installed, wait for that. */
export async function installServer(hunch: Hunch): Promise<void> {
  installing ??= installNow(hunch).finally(() => {
    installing = undefined;
  });
  await installing;
}

async function installNow({ extension, server }: Hunch): Promise<void> {
  const python = await choosePython();
  await server.stop();
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: `Installing the Hunch server with Python ${python.version}`,
      cancellable: true,
    },
    async (progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => {
        stop.abort();
      });
      await install(await ownEnvironment(extension), python.path, server.log, {
        env: withProxy(process.env),
        signal: stop.signal,
        onLine: (line) => {
          progress.report({ message: shortened(line) });
        },
      });
    },
  );
  await server.restart();
}

export async function choosePythonFile(): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    title: "Python 3.11 or newer",
    openLabel: "Use This Python",
  });
  const path = chosen?.[0]?.fsPath;
  if (path === undefined) return;
  const section = vscode.workspace.getConfiguration("hunch");
  await section.update("server.python", path, vscode.ConfigurationTarget.Global);
}

/** pip knows nothing of the proxy that VS Code was told of. */
function withProxy(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const proxy = vscode.workspace.getConfiguration("http").get<string>("proxy", "");
  return proxy === "" ? env : { ...env, HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
}

function shortened(line: string): string {
  return line
    .trim()
    .replace(/\s*\(from .*$/, "")
    .slice(0, 80);
}
