/** Ranks in words. Pure. */

const MOST_PARTS = 12;

/** "rank 3", "ranks 0 to 3 and 7": ranks that follow each other are a range. */
export function rankList(ranks: readonly number[]): string {
  const parts = ranges(ranks).map(([first, last]) => (first === last ? `${first}` : last === first + 1 ? `${first}, ${last}` : `${first} to ${last}`));
  const shown = parts.slice(0, MOST_PARTS);
  const rest = parts.length - shown.length;
  const text = rest > 0 || shown.length < 2 ? shown.join(", ") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`;
  return `${ranks.length === 1 ? "rank" : "ranks"} ${text}${rest > 0 ? " …" : ""}`;
}

/** "0-3, 7" for channels or ranks: ranges in ascending order. */
export function rangeText(numbers: readonly number[]): string {
  return ranges(numbers).map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
}

function ranges(numbers: readonly number[]): [first: number, last: number][] {
  const found: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found;
}
