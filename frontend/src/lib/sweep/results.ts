/** The result of a sweep by ranges of sizes, in one line for lists. Pure. */
import type { SizesResult } from "../../api/types";
import { formatSize } from "../size";

/** With more ranges, the line names only the algorithm that is alone in most sizes. */
const MOST_RANGES = 4;

/** "Tied: direct or ring", "Fastest: mpi up to 4 KiB, ring above"; undefined if nothing was compared. */
export function resultLine(results: readonly SizesResult[]): string | undefined {
  if (results.length === 0) return undefined;
  if (results.every(({ algorithms }) => algorithms.length > 1)) {
    return results.length > MOST_RANGES ? "Tied: no algorithm wins at any size" : `Tied: ${ranges(results)}`;
  }
  const head = results.every(({ is_fastest: isFastest }) => isFastest) ? "Fastest" : "Fastest or tied";
  return `${head}: ${results.length > MOST_RANGES ? mostSizes(results) : ranges(results)}`;
}

function ranges(results: readonly SizesResult[]): string {
  return results
    .map(({ algorithms, max_bytes: maxBytes }, i) => {
      const where = results.length === 1 ? "" : i === results.length - 1 ? " above" : ` up to ${formatSize(maxBytes)}`;
      return either(algorithms) + where;
    })
    .join(", ");
}

/** "ring at 5 of 14 sizes". */
function mostSizes(results: readonly SizesResult[]): string {
  const counts = new Map<string, number>();
  for (const { algorithms, size_count: count } of results) {
    const [name] = algorithms;
    if (name && algorithms.length === 1) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const [first] = [...counts].sort(([, one], [, other]) => other - one);
  const total = results.reduce((sum, { size_count: count }) => sum + count, 0);
  return first ? `${first[0]} at ${first[1]} of ${total} sizes` : "";
}

/** "ring, direct or mpi". */
function either(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${last}` : last;
}
