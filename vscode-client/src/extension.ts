/** Where VS Code begins: builds the parts and connects them. */
import * as vscode from "vscode";
import { ownEnvironment } from "./commands/install";
import { registerCommands } from "./commands/register";
import type { Hunch } from "./context";
import { findServer } from "./install/find";
import { outcomes } from "./pick/outcomes";
import { RecentQueries } from "./pick/recent";
import { SESSION_SCHEME } from "./protocol";
import { ResultsView } from "./results/resultsView";
import { middleware } from "./server/middleware";
import { Server } from "./server/server";
import { statusItem } from "./server/statusItem";
import { SessionContent } from "./sessions/content";
import { tell } from "./view/tell";
import { showRelated } from "./commands/related";

/** Start the server in the background; nothing here waits for it. */
export function activate(extension: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Hunch", { log: true });
  const server = new Server(
    async () => findServer(await ownEnvironment(extension), log),
    middleware((params) => {
      showRelated(hunch, params);
    }),
    log,
  );
  const recent = new RecentQueries(extension.workspaceState, () =>
    vscode.workspace.getConfiguration("hunch").get("search.recentQueries", 10),
  );
  const results = new ResultsView();
  const hunch: Hunch = { server, recent, results, extension, outcomes: outcomes(() => hunch) };
  extension.subscriptions.push(
    log,
    server,
    results,
    statusItem(server),
    vscode.workspace.registerTextDocumentContentProvider(
      SESSION_SCHEME,
      new SessionContent(server),
    ),
    vscode.workspace.onDidChangeConfiguration((change) => {
      void settingsChanged(server, change);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
    ...registerCommands(hunch),
  );
  void start(server);
}

/** Start the server; the one question at a start is whether to install it. */
async function start(server: Server): Promise<void> {
  await server.restart();
  if (server.failure) await tell(server.failure);
}

async function settingsChanged(
  server: Server,
  change: vscode.ConfigurationChangeEvent,
): Promise<void> {
  if (!change.affectsConfiguration("hunch")) return;
  if (change.affectsConfiguration("hunch.server.path")) await server.restart();
  else await server.settingsChanged();
}
