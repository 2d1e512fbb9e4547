/** The state of the index in rows for a person. */
import type { IndexState } from "../protocol";
import { percent } from "./describe";

export interface StatusRow {
  label: string;
  description: string;
}

const WORDS: Record<string, string> = {
  starting: "Starting",
  indexing: "Indexing",
  ready: "Ready",
  paused: "Paused",
  degraded: "Works, but not wholly",
  failed: "Failed",
};

/** The state in one or two words, with how far it is: `Indexing 40 %`. */
export function stateWords(index: IndexState): string {
  const done = percent(index);
  const words = WORDS[index.state] ?? index.state;
  return index.state === "indexing" && done !== undefined ? `${words} ${done} %` : words;
}

/** What there is to tell, most important first. */
export function statusRows(index: IndexState): StatusRow[] {
  const { embedder, counts, database } = index;
  return [
    row("pulse", stateWords(index), index.message),
    row("circuit-board", `Embedder: ${embedder.model || embedder.provider}`, embedderWords(index)),
    row("files", count(counts.documents, "document"), chunksWords(index)),
    ...index.sources.map((source) =>
      row(
        source.kind === "conversations" ? "comment-discussion" : "folder",
        source.label,
        [amount(source), source.message].filter((part) => part !== "").join(" · "),
      ),
    ),
    row("database", `Index of ${megabytes(database.bytes)}`, database.path),
    row("edit", "Kept in line by", index.writer),
  ];
}

function row(icon: string, label: string, description: string): StatusRow {
  return { label: `$(${icon}) ${label}`, description };
}

function embedderWords({ embedder }: IndexState): string {
  const works = embedder.available ? embedder.provider : `${embedder.provider}, not available`;
  return [works, embedder.message].filter((part) => part !== "").join(" · ");
}

function chunksWords({ counts }: IndexState): string {
  const waiting = counts.pending > 0 ? `, ${counts.pending} still without meaning` : "";
  return `${counts.chunks} chunks${waiting}`;
}

function amount(source: IndexState["sources"][number]): string {
  return source.conversations === undefined
    ? count(source.documents, "document")
    : `${count(source.conversations, "conversation")}, ${count(source.documents, "turn")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
