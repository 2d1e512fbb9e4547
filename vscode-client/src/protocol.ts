/**
 * What crosses the wire, as `server/docs/protocol.md` describes it.
 *
 * Fields have the names and the meaning that they have there. A test compares them with the
 * server's own shapes, so that neither side can change alone.
 */

/** A place in a document: line and UTF-16 code unit, both from 0. */
export interface Position {
  line: number;
  character: number;
}

/** A stretch of a document; the end is not part of it. */
export interface Range {
  start: Position;
  end: Position;
}

/** What may be found at all; applied before ranking. */
export interface FilterParams {
  kinds?: string[];
  scope?: "workspace" | "everywhere";
  folders?: string[];
  include?: string[];
  exclude?: string[];
  languages?: string[];
  agents?: string[];
  since?: string;
  until?: string;
}

/** Params of `hunch/search`. */
export interface SearchParams {
  query: string;
  limit?: number;
  offset?: number;
  mode?: "hybrid" | "semantic" | "keyword";
  filter?: FilterParams;
}

/** Params of `hunch/related`: a text, or a document with a position or a range. */
export interface RelatedParams {
  text?: string;
  textDocument?: { uri: string };
  position?: Position;
  range?: Range;
  limit?: number;
  offset?: number;
  filter?: FilterParams;
  show?: boolean;
}

/** Params of `hunch/reindex`. */
export interface ReindexParams {
  folders?: string[];
  force?: boolean;
}

/** Params of `hunch/content`. */
export interface ContentParams {
  uri: string;
}

/** A conversation as a person reads it. */
export interface Content {
  text: string;
  languageId: string;
}

/** Where a hit comes from. */
export interface HitSource {
  id: number;
  label: string;
  folder?: string;
  session?: string;
}

/** One place that answers the question. */
export interface Hit {
  uri: string;
  range: Range;
  kind: string;
  title: string;
  detail: string;
  language: string;
  snippet: string;
  snippetRange: Range;
  highlights: [number, number][];
  score: number;
  signals: Record<string, unknown>;
  stale: boolean;
  source: HitSource;
  symbolKind?: number;
  timestamp?: string;
}

/** How far the running index work is. */
export interface Progress {
  done: number;
  total: number;
  current: string;
  etaSeconds?: number;
}

/** Which embedder works, and whether it does. */
export interface Embedder {
  provider: string;
  model: string;
  dimensions: number;
  available: boolean;
  message: string;
}

/** Totals over the open sources. */
export interface Counts {
  documents: number;
  chunks: number;
  embedded: number;
  pending: number;
  skipped: number;
  failed: number;
  notUnderstood: number;
}

/** A source with its totals. */
export interface SourceState {
  id: number;
  label: string;
  kind: string;
  uri: string;
  documents: number;
  chunks: number;
  message: string;
  lastIndexed?: string;
  conversations?: number;
}

/** The file that the index lives in. */
export interface Database {
  path: string;
  bytes: number;
  schema: number;
}

/** How the index is: `starting`, `indexing`, `ready`, `paused`, `degraded` or `failed`. */
export interface IndexState {
  state: string;
  message: string;
  embedder: Embedder;
  counts: Counts;
  sources: SourceState[];
  database: Database;
  writer: string;
  progress?: Progress;
}

/** Result of `hunch/search` and `hunch/related`; best hit first. */
export interface SearchResult {
  hits: Hit[];
  index: IndexState;
  tookMs: number;
  mode: string;
}

/** A file that is not, or not wholly, in the index. */
export interface Problem {
  uri: string;
  state: string;
  reason: string;
  since?: string;
}

/** Params and result of every request that Hunch adds to LSP. */
export interface Requests {
  "hunch/search": [SearchParams, SearchResult];
  "hunch/related": [RelatedParams, SearchResult];
  "hunch/status": [NoParams, IndexState];
  "hunch/reindex": [ReindexParams, null];
  "hunch/problems": [NoParams, Problem[]];
  "hunch/content": [ContentParams, Content];
  "hunch/pause": [NoParams, IndexState];
  "hunch/resume": [NoParams, IndexState];
}

/** Params of a request that needs none. */
export type NoParams = Record<string, never>;

/** The notification that carries an `IndexState` whenever something changed. */
export const DID_CHANGE_STATUS = "hunch/didChangeStatus";

/** The command of the server's code action; its argument is a `RelatedParams`. */
export const SHOW_RELATED = "hunch.showRelated";

/** The scheme of conversations. */
export const SESSION_SCHEME = "hunch-session";

/** The version of the protocol that this client speaks. */
export const PROTOCOL_VERSION = 1;
