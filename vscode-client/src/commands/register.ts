/** The palette's commands by their names. */
import * as vscode from "vscode";
import type { Hunch } from "../context";
import type { Hit } from "../protocol";
import { tell } from "../view/tell";
import { choosePythonFile, installServer } from "./install";
import { pauseIndexing, reindexFolders, resumeIndexing } from "./indexing";
import { showProblems } from "./problems";
import { findRelated, findRelatedTo } from "./related";
import { searchByMeaning, searchConversations, searchEverywhere } from "./search";
import { showStatus } from "./status";

type Command = (hunch: Hunch, hit: Hit) => Promise<void> | void;

const COMMANDS: Record<string, Command> = {
  "hunch.searchByMeaning": searchByMeaning,
  "hunch.searchConversations": searchConversations,
  "hunch.searchEverywhere": searchEverywhere,
  "hunch.findRelated": findRelated,
  "hunch.showStatus": showStatus,
  "hunch.showProblems": showProblems,
  "hunch.reindexFolders": reindexFolders,
  "hunch.pauseIndexing": pauseIndexing,
  "hunch.resumeIndexing": resumeIndexing,
  "hunch.restartServer": async ({ server }) => {
    await server.restart();
    if (server.failure) throw server.failure;
  },
  "hunch.installServer": installServer,
  "hunch.choosePython": choosePythonFile,
  "hunch.showLogs": ({ server }) => {
    server.log.show();
  },
  "hunch.results.refresh": ({ results }) => results.refresh(),
  "hunch.results.clear": ({ results }) => results.clear(),
  "hunch.results.groupByFile": ({ results }) => results.groupBy("file"),
  "hunch.results.groupByKind": ({ results }) => results.groupBy("kind"),
  "hunch.results.open": ({ outcomes }, hit) => outcomes.open(hit, false, ""),
  "hunch.results.openBeside": ({ outcomes }, hit) => outcomes.open(hit, true, ""),
  "hunch.results.findRelated": findRelatedTo,
};

/** Register them all; what goes wrong in one is told with a way to the log. */
export function registerCommands(hunch: Hunch): vscode.Disposable[] {
  return Object.entries(COMMANDS).map(([name, command]) =>
    vscode.commands.registerCommand(name, async (hit: Hit) => {
      try {
        await command(hunch, hit);
      } catch (error) {
        await tell(error);
      }
    }),
  );
}
