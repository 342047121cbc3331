/** The activity of a running job's ranks, in words. */
import type { components } from "../../../api/schema";

export type Activity = components["schemas"]["Activity"];

const MOST_RANKS = 8;

/** One sentence: which ranks do what, and since when. */
export function activityWords({ doing, ranks, count, nodes, since }: Activity): string {
  const more = count > MOST_RANKS ? ", …" : "";
  const who = `${count === 1 ? "Rank" : "Ranks"} ${ranks.slice(0, MOST_RANKS).join(", ")}${more}`;
  const where = nodes.length === 1 ? ` on ${nodes[0]}` : ` on ${nodes.length} nodes`;
  return `${who}${where}: ${doing}${since ? `, since ${new Date(since).toLocaleTimeString()}` : ""}.`;
}
