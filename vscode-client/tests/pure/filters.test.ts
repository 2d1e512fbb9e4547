import { expect, test } from "vitest";
import { daysAgo, describe, isDate, NO_FILTERS, toParams } from "../../src/pick/filters";

const NARROW = {
  kinds: ["code"],
  scope: "everywhere",
  languages: ["python"],
  agents: ["codex"],
  since: "2026-10-01",
} as const;
const copy = (): typeof NO_FILTERS => structuredClone(NARROW) as unknown as typeof NO_FILTERS;

test("nothing is sent of a filter that restricts nothing", () => {
  expect(toParams(NO_FILTERS)).toEqual({});
});

test("all is sent of a filter that restricts", () => {
  expect(toParams(copy())).toEqual(NARROW);
});

test("a title names what a search is narrowed to", () => {
  expect(describe(NO_FILTERS, NO_FILTERS)).toBe("");
  expect(describe(copy(), NO_FILTERS)).toBe(
    "code · python · codex · everywhere · since 2026-10-01",
  );
  expect(describe(copy(), copy())).toBe("python · codex · since 2026-10-01");
  expect(describe(NO_FILTERS, copy())).toBe("this workspace");
});

test.each([
  [0, "2026-03-01"],
  [1, "2026-02-28"],
  [60, "2025-12-31"],
])("%i days before the 1st of March 2026 it was %s", (days, date) => {
  expect(daysAgo(days, new Date(2026, 2, 1, 12))).toBe(date);
});

test.each([
  ["2026-10-01", true],
  ["2026-02-30", false],
  ["2026-1-1", false],
  ["", false],
])("a date that exists is one: %s → %s", (text, is) => {
  expect(isDate(text)).toBe(is);
});
