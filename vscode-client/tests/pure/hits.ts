/** A hit and an index state to vary in tests. */
import type { Hit, IndexState } from "../../src/protocol";

const NOWHERE = { start: { line: 9, character: 0 }, end: { line: 18, character: 36 } };

export function hit(changes: Partial<Hit> = {}): Hit {
  return {
    uri: "file:///shop/src/net/retry.py",
    range: NOWHERE,
    kind: "code",
    title: "Client.send_with_retry",
    symbolKind: 6,
    detail: "src/net/retry.py",
    language: "python",
    snippet: "\n    def send_with_retry(self):\n        pass",
    snippetRange: NOWHERE,
    highlights: [],
    score: 0.8,
    signals: {},
    stale: false,
    source: { id: 1, label: "shop" },
    ...changes,
  };
}

export function index(changes: Partial<IndexState> = {}): IndexState {
  return {
    state: "ready",
    message: "",
    embedder: {
      provider: "builtin",
      model: "words",
      dimensions: 64,
      available: true,
      message: "",
    },
    counts: {
      documents: 12,
      chunks: 40,
      embedded: 40,
      pending: 0,
      skipped: 1,
      failed: 0,
      notUnderstood: 0,
    },
    sources: [],
    database: { path: "/data/index.db", bytes: 2_500_000, schema: 2 },
    writer: "this server",
    ...changes,
  };
}
