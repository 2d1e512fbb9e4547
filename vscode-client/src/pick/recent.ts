/** The last questions of this workspace, newest first. */
import type { Memento } from "vscode";

const KEY = "hunch.recentQueries";

export class RecentQueries {
  /** @param limit how many are kept; 0 keeps none */
  constructor(
    private readonly memento: Memento,
    private readonly limit: () => number,
  ) {}

  list(): string[] {
    return this.memento.get<string[]>(KEY, []).slice(0, this.limit());
  }

  async add(query: string): Promise<void> {
    await this.memento.update(KEY, withNewest(this.list(), query.trim(), this.limit()));
  }

  async clear(): Promise<void> {
    await this.memento.update(KEY, undefined);
  }
}

/** Put a query first, once, and forget the oldest. */
export function withNewest(queries: string[], query: string, limit: number): string[] {
  const others = queries.filter((other) => other !== query);
  return (query === "" ? others : [query, ...others]).slice(0, limit);
}
