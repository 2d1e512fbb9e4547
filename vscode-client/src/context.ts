/** What every command needs. */
import type * as vscode from "vscode";
import type { Outcomes } from "./pick/hitPick";
import type { RecentQueries } from "./pick/recent";
import type { ResultsView } from "./results/resultsView";
import type { Server } from "./server/server";

export interface Hunch {
  server: Server;
  recent: RecentQueries;
  results: ResultsView;
  outcomes: Outcomes;
  extension: vscode.ExtensionContext;
}
