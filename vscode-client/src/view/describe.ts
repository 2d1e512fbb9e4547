/** A hit in the words that a person reads: its icon, its place, and why it is one. */
import { basename } from "node:path/posix";
import type { Hit, IndexState } from "../protocol";

/** Icons of VS Code for LSP's SymbolKind, which counts from 1. */
const SYMBOL_ICONS = [
  ..."file module namespace package class method property field constructor enum".split(" "),
  ..."interface function variable constant string number boolean array object key".split(" "),
  ..."null enum-member struct event operator type-parameter".split(" "),
];

const KIND_ICONS: Record<string, string> = {
  code: "code",
  docs: "book",
  conversation: "comment-discussion",
  note: "note",
  message: "mail",
};

/** The name of a hit's icon, without the `$(…)` around it. */
export function iconName(hit: Hit): string {
  const symbol = hit.symbolKind === undefined ? undefined : SYMBOL_ICONS[hit.symbolKind - 1];
  return symbol ? `symbol-${symbol}` : (KIND_ICONS[hit.kind] ?? "file");
}

/** What a hit is called: its symbol, heading or question, else the name of its file. */
export function heading(hit: Hit): string {
  return hit.title || basename(hit.detail) || hit.uri;
}

/** `path:line` as people and terminals write it; of a conversation what the server says of it. */
export function place(hit: Hit): string {
  return hit.kind === "conversation" ? hit.detail : `${hit.detail}:${hit.range.start.line + 1}`;
}

/** Why a hit is one, strongest reason first. */
export function reason(hit: Hit): string {
  const { signals } = hit;
  const copies = Number(signals.copies ?? 0);
  const reasons: [unknown, string][] = [
    [signals.definition, "defines the name"],
    [signals.name, "words in its name"],
    [signals.keyword, "words in its text"],
    [signals.semantic, `meaning ${Number(signals.semantic ?? 0).toFixed(2)}`],
    [copies, `${copies} ${copies === 1 ? "copy" : "copies"} left out`],
    [signals.here, "about this project"],
    [signals.mentions, "names this place"],
    [signals.sourceGone, "its log was deleted"],
    [signals.aside, "ranked lower as a test, example or generated file"],
    [hit.stale, "changed since it was indexed"],
  ];
  return reasons
    .filter(([holds]) => Boolean(holds))
    .map(([, words]) => words)
    .join(" · ");
}

/** The line of the snippet that matches best, without what is around it; may be empty. */
export function bestLine(hit: Hit): string {
  const lines = hit.snippet.split("\n");
  const first = hit.highlights[0]?.[0] ?? 0;
  const marked = hit.snippet.slice(0, first).split("\n").length - 1;
  const best = hit.highlights.length > 0 ? lines[marked] : lines.find((line) => line.trim() !== "");
  return (best ?? "").trim().slice(0, 120);
}

/** How much of the index is done, in whole per cent; undefined when nobody knows. */
export function percent(index: IndexState): number | undefined {
  const progress = index.progress;
  if (!progress || progress.total <= 0) return undefined;
  return Math.min(100, Math.floor((100 * progress.done) / progress.total));
}

/** What keeps an answer from being complete, in a few words; empty when nothing does. */
export function incompleteness(index: IndexState): string {
  const done = percent(index);
  switch (index.state) {
    case "starting":
      return "The index is being opened…";
    case "indexing":
      return done === undefined ? "Still indexing…" : `Still indexing (${done} %)…`;
    case "paused":
      return "Indexing is paused";
    case "degraded":
    case "failed":
      return index.message || "Hunch does not work wholly";
    default:
      return "";
  }
}
