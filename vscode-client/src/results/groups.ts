/** Hits in groups, for people who would rather look than pick. */
import type { Hit } from "../protocol";

export type Grouping = "file" | "kind";

/** Hits that belong together, in the server's order. */
export interface HitGroup {
  label: string;
  hits: Hit[];
}

const KINDS: Record<string, string> = {
  code: "Code",
  docs: "Documents",
  conversation: "Conversations",
  note: "Notes",
  message: "Messages",
};

/** Group hits; a group stands where its best hit would stand. */
export function group(hits: Hit[], grouping: Grouping): HitGroup[] {
  const groups = new Map<string, HitGroup>();
  for (const hit of hits) {
    const label = grouping === "kind" ? (KINDS[hit.kind] ?? hit.kind) : hit.detail;
    const existing = groups.get(label);
    if (existing) existing.hits.push(hit);
    else groups.set(label, { label, hits: [hit] });
  }
  return [...groups.values()];
}
