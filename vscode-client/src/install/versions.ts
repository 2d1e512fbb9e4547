/** Versions of Hunch and of Python. */

/** The oldest Python that the server runs on. */
export const OLDEST_PYTHON = "3.11";

/** The oldest server that this extension can talk to. */
export const OLDEST_SERVER = "0.1.0";

/** The first version number in a text such as `hunch, version 0.1.0`. */
export function versionIn(text: string): string | undefined {
  return /\d+(?:\.\d+)+/.exec(text)?.[0];
}

/** Whether a version is at least another, number by number. */
export function isAtLeast(version: string, other: string): boolean {
  const [have, need] = [version, other].map((text) => text.split(".").map(Number));
  for (const [index, number] of (need ?? []).entries()) {
    const mine = have?.[index] ?? 0;
    if (mine !== number) return mine > number;
  }
  return true;
}
