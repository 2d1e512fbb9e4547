import { describe, expect, test } from "vitest";
import * as words from "../../src/view/describe";
import { hit, index } from "./hits";

describe("a hit", () => {
  test.each([
    [{ symbolKind: 6 }, "symbol-method"],
    [{ symbolKind: 5 }, "symbol-class"],
    [{ symbolKind: 26 }, "symbol-type-parameter"],
    [{ symbolKind: 99 }, "code"],
    [{ kind: "conversation", symbolKind: 0 }, "comment-discussion"],
    [{ kind: "something", symbolKind: 0 }, "file"],
  ])("has an icon: %o → %s", (changes, icon) => {
    expect(words.iconName(hit(changes))).toBe(icon);
  });

  test.each([
    [{}, "Client.send_with_retry"],
    [{ title: "" }, "retry.py"],
    [{ title: "", detail: "" }, "file:///shop/src/net/retry.py"],
  ])("has a name: %o → %s", (changes, name) => {
    expect(words.heading(hit(changes))).toBe(name);
  });

  test("has a place with a line that people count from 1", () => {
    expect(words.place(hit())).toBe("src/net/retry.py:10");
  });

  test("in a conversation has the server's words as its place", () => {
    const detail = "codex · shop · 2026-11-28 14:03";
    expect(words.place(hit({ kind: "conversation", detail }))).toBe(detail);
  });

  test.each([
    [{}, ""],
    [{ signals: { semantic: 0.7123, keyword: 3 } }, "words in its text · meaning 0.71"],
    [{ signals: { definition: true, copies: 1 } }, "defines the name · 1 copy left out"],
    [{ signals: { copies: 2 } }, "2 copies left out"],
    [{ signals: { unheardOf: 1 }, stale: true }, "changed since it was indexed"],
  ])("says why it is one: %o → %s", (changes, reason) => {
    expect(words.reason(hit(changes))).toBe(reason);
  });

  test("shows the first line that says something, and the first marked one if any is", () => {
    expect(words.bestLine(hit())).toBe("def send_with_retry(self):");
    expect(words.bestLine(hit({ highlights: [[40, 44]] }))).toBe("pass");
    expect(words.bestLine(hit({ snippet: "" }))).toBe("");
  });
});

describe("an index", () => {
  const progress = { done: 2, total: 5, current: "" };
  test.each([
    [{}, ""],
    [{ state: "starting" }, "The index is being opened…"],
    [{ state: "indexing" }, "Still indexing…"],
    [{ state: "indexing", progress }, "Still indexing (40 %)…"],
    [{ state: "indexing", progress: { ...progress, total: 0 } }, "Still indexing…"],
    [{ state: "paused" }, "Indexing is paused"],
    [{ state: "degraded", message: "Ollama is down." }, "Ollama is down."],
    [{ state: "failed" }, "Hunch does not work wholly"],
  ])("says what keeps an answer from being complete: %o → %s", (changes, said) => {
    expect(words.incompleteness(index(changes))).toBe(said);
  });
});
