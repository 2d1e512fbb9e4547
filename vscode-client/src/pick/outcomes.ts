/** What becomes of what was chosen in a list. */
import * as vscode from "vscode";
import { findRelatedTo } from "../commands/related";
import { showStatus } from "../commands/status";
import type { Hunch } from "../context";
import { openSession } from "../sessions/open";
import { openHit } from "../view/places";
import type { Outcomes } from "./hitPick";

/** @param hunch gives the parts, which know these outcomes themselves */
export function outcomes(hunch: () => Hunch): Outcomes {
  return {
    open: async (hit, beside, question) => {
      if (question.trim() !== "") await hunch().recent.add(question);
      if (hit.kind === "conversation") return openSession(hit, beside);
      await openHit(hit, {
        viewColumn: beside ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
        preview: false,
      });
    },
    related: async (hit) => {
      findRelatedTo(hunch(), hit);
      return Promise.resolve();
    },
    toPanel: (result, question, value, filters) => {
      const token = new vscode.CancellationTokenSource().token;
      return hunch().results.show(result, {
        title: value === "" ? question.title : `“${value}”`,
        again: () => question.ask(value, filters, token),
      });
    },
    forgetRecent: () => hunch().recent.clear(),
    showStatus: () => showStatus(hunch()),
    agents: async () => {
      const { sources } = await hunch().server.request("hunch/status", {});
      return sources.filter(({ kind }) => kind === "conversations").map(({ label }) => label);
    },
    onDidBecomeReady: (listener, ...rest) => hunch().server.onDidBecomeReady(listener, ...rest),
  };
}
