/** Names for VS Code's "Go to Symbol in Workspace", which hides what does not look like the query. */

interface Named {
  name: string;
}

/**
 * Put the query and the rank before every name.
 *
 * VS Code drops a symbol whose name does not hold the query's letters in their order, and sorts the
 * others anew; with the query in front nothing is dropped, and the rank, padded with zeros because
 * ties are sorted as text, keeps the server's order.
 */
export function paddedNames<T extends Named>(query: string, symbols: T[]): T[] {
  if (query === "") return symbols;
  const width = String(symbols.length).length;
  for (const [index, symbol] of symbols.entries()) {
    symbol.name = `${query} › ${String(index + 1).padStart(width, "0")} ${symbol.name}`;
  }
  return symbols;
}
