/** What a person narrowed a search to. */
import type { FilterParams } from "../protocol";

/** The parts of a filter that have a button. */
export interface Filters {
  kinds: string[];
  scope: "workspace" | "everywhere";
  languages: string[];
  agents: string[];
  /** An ISO 8601 date, or empty. */
  since: string;
}

export const NO_FILTERS: Filters = {
  kinds: [],
  scope: "workspace",
  languages: [],
  agents: [],
  since: "",
};

const SCOPES = { workspace: "this workspace", everywhere: "everywhere" };

/** What is sent: only what restricts anything. */
export function toParams(filters: Filters): FilterParams {
  return {
    ...(filters.kinds.length > 0 && { kinds: filters.kinds }),
    ...(filters.scope === "everywhere" && { scope: filters.scope }),
    ...(filters.languages.length > 0 && { languages: filters.languages }),
    ...(filters.agents.length > 0 && { agents: filters.agents }),
    ...(filters.since !== "" && { since: filters.since }),
  };
}

/**
 * The filter in a title: `code · python · since 2026-10-01`.
 *
 * @param start the filter that the search began with, which its name tells already
 */
export function describe(filters: Filters, start: Filters): string {
  return [
    ...(String(filters.kinds) === String(start.kinds) ? [] : filters.kinds),
    ...filters.languages,
    ...filters.agents,
    ...(filters.scope === start.scope ? [] : [SCOPES[filters.scope]]),
    ...(filters.since === "" ? [] : [`since ${filters.since}`]),
  ].join(" · ");
}

/** The local date some days ago, as `YYYY-MM-DD`. */
export function daysAgo(days: number, now: Date): string {
  const then = new Date(now.getFullYear(), now.getMonth(), now.getDate() - days);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())}`;
}

/** Whether a text is a date that exists, as `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
