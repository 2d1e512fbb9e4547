import { describe, expect, test } from "vitest";
import { withNewest } from "../../src/pick/recent";
import { group } from "../../src/results/groups";
import { isCancellation, NoServer, sentence } from "../../src/server/failures";
import { explicitSettings } from "../../src/server/settings";
import { paddedNames } from "../../src/server/symbols";
import { hit } from "./hits";

describe("recent questions", () => {
  test.each([
    [["b", "a"], "c", 3, ["c", "b", "a"]],
    [["b", "a"], "a", 3, ["a", "b"]],
    [["b", "a"], "c", 2, ["c", "b"]],
    [["b", "a"], "", 2, ["b", "a"]],
    [["b", "a"], "c", 0, []],
  ])("%o and %s, at most %i → %o", (before, query, limit, after) => {
    expect(withNewest(before, query, limit)).toEqual(after);
  });
});

describe("groups of results", () => {
  const hits = [
    hit({ title: "one", detail: "a.py" }),
    hit({ title: "two", detail: "b.md", kind: "docs" }),
    hit({ title: "three", detail: "a.py" }),
  ];
  const told = (by: "file" | "kind"): string[] =>
    group(hits, by).map(({ label, hits: some }) => `${label}: ${some.map((h) => h.title).join()}`);

  test("stand where their best hit stands", () => {
    expect(told("file")).toEqual(["a.py: one,three", "b.md: two"]);
    expect(told("kind")).toEqual(["Code: one,three", "Documents: two"]);
  });
});

describe("failures", () => {
  test.each([
    [Object.assign(new Error("gone"), { code: -32800 }), true],
    [Object.assign(new Error("changed"), { code: -32801 }), true],
    [Object.assign(new Error("Canceled"), { name: "Canceled" }), true],
    [new NoServer("none"), false],
    ["text", false],
  ])("%s was only given up: %s", (error, is) => {
    expect(isCancellation(error)).toBe(is);
  });

  test("have a sentence, whatever was thrown", () => {
    expect([sentence(new NoServer("none")), sentence("text")]).toEqual(["none", "text"]);
  });
});

describe("settings for the server", () => {
  const set: Record<string, object> = {
    embedder: { globalValue: "builtin" },
    "ollama.url": { workspaceFolderValue: "" },
    "ollama.model": {},
    "server.path": { globalValue: "/bin/hunch" },
  };

  test("are those that somebody set, and none of the editor's own", () => {
    expect(
      explicitSettings(
        (name) => set[name],
        (name) => `value of ${name}`,
      ),
    ).toEqual({ embedder: "value of embedder", "ollama.url": "value of ollama.url" });
  });
});

describe("names for Go to Symbol", () => {
  test("begin with the question and sort by rank as text", () => {
    const names = Array.from({ length: 10 }, (_, index) => ({ name: `n${index}` }));
    const padded = paddedNames("retry", names).map(({ name }) => name);
    expect(padded[0]).toBe("retry › 01 n0");
    expect(padded[9]).toBe("retry › 10 n9");
    expect([...padded].sort()).toEqual(padded);
  });

  test("stay as they are when nothing is asked", () => {
    expect(paddedNames("", [{ name: "n" }])).toEqual([{ name: "n" }]);
  });
});
