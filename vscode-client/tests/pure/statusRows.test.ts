import { expect, test } from "vitest";
import { stateWords, statusRows } from "../../src/view/statusRows";
import { index } from "./hits";

test.each([
  [{}, "Ready"],
  [{ state: "indexing", progress: { done: 1, total: 8, current: "" } }, "Indexing 12 %"],
  [{ state: "indexing" }, "Indexing"],
  [{ state: "unheard of" }, "unheard of"],
])("an index is told in a word or two: %o → %s", (changes, words) => {
  expect(stateWords(index(changes))).toBe(words);
});

test("the rows tell of the embedder, the amounts, every source, the file and who writes it", () => {
  const source = { id: 1, label: "shop", kind: "workspace", uri: "", documents: 7, chunks: 9 };
  const rows = statusRows(
    index({
      counts: { ...index().counts, pending: 3 },
      sources: [
        { ...source, message: "" },
        { ...source, label: "codex", kind: "conversations", conversations: 2, message: "gone" },
      ],
    }),
  );
  expect(rows.map(({ label, description }) => `${label} | ${description}`)).toEqual([
    "$(pulse) Ready | ",
    "$(circuit-board) Embedder: words | builtin",
    "$(files) 12 documents | 40 chunks, 3 still without meaning",
    "$(folder) shop | 7 documents",
    "$(comment-discussion) codex | 2 conversations, 7 turns · gone",
    "$(database) Index of 2.5 MB | /data/index.db",
    "$(edit) Kept in line by | this server",
  ]);
});

test("an embedder that does not answer is called that", () => {
  const embedder = { ...index().embedder, available: false, message: "start Ollama" };
  const [, row] = statusRows(index({ embedder }));
  expect(row?.description).toBe("builtin, not available · start Ollama");
});
