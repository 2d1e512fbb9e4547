/** Searching by a question in words: in the workspace, in conversations, everywhere. */
import type { Hunch } from "../context";
import { NO_FILTERS, toParams, type Filters } from "../pick/filters";
import type { FilterButton } from "../pick/filterMenus";
import { HitPick, type Question } from "../pick/hitPick";
import { recentRows } from "../pick/rows";

const LIMIT = 50;

export function searchByMeaning(hunch: Hunch): void {
  open(hunch, "Search by Meaning", "Describe what you are looking for", NO_FILTERS);
}

export function searchEverywhere(hunch: Hunch): void {
  const filters: Filters = { ...NO_FILTERS, scope: "everywhere" };
  open(hunch, "Search Everywhere", "Describe what you are looking for, in any folder", filters);
}

export function searchConversations(hunch: Hunch): void {
  const filters: Filters = { ...NO_FILTERS, kinds: ["conversation"], scope: "everywhere" };
  const buttons: FilterButton[] = ["agent", "since", "scope"];
  open(hunch, "Search Conversations", "What was said, decided or asked?", filters, buttons);
}

function open(
  hunch: Hunch,
  title: string,
  placeholder: string,
  filters: Filters,
  buttons: FilterButton[] = ["kind", "scope", "language", "agent", "since"],
): void {
  const question: Question = {
    title,
    placeholder,
    filters,
    buttons,
    isTyped: true,
    whenEmpty: () => recentRows(hunch.recent.list()),
    ask: (query, chosen, token) =>
      hunch.server.request(
        "hunch/search",
        { query, limit: LIMIT, filter: toParams(chosen) },
        token,
      ),
  };
  new HitPick(question, hunch.outcomes).show();
}
