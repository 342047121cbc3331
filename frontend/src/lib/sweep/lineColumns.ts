/** Lines over one axis as a chart takes them: in columns over all their places. Pure. */

/** undefined: this line has nothing to say at this x; null: it has a gap there. */
export type Value = number | null | undefined;

export interface Columns {
  x: number[];
  lines: Value[][];
}

export type Point = readonly [x: number, y: number | null];

/** Lines with places of their own as columns over all places. */
export function joined(lines: readonly (readonly Point[])[]): Columns {
  const x = [...new Set(lines.flatMap((line) => line.map(([at]) => at)))].sort((a, b) => a - b);
  const index = new Map(x.map((at, i) => [at, i]));
  return {
    x,
    lines: lines.map((line) => {
      const values: Value[] = x.map(() => undefined);
      for (const [at, value] of line) values[index.get(at) ?? -1] = value;
      return values;
    }),
  };
}

/** What a line last said up to a place, null in a gap; without a place, its newest value. Of a stack the part itself. */
export function valueIn({ lines }: Columns, line: number, index: number | null, isStack = false): number | null {
  const values = lines[line] ?? [];
  const at =
    index === null
      ? values.findLastIndex((value) => value !== null && value !== undefined)
      : values.findLastIndex((value, i) => i <= index && value !== undefined);
  const value = values[at] ?? null;
  const below = isStack && line > 0 ? (lines[line - 1]?.[at] ?? 0) : 0;
  return value === null ? null : value - below;
}
