/** Lines over one axis as a chart takes them: in columns over all their x values. Pure. */

/** undefined: this line has no value at this x; null: it has a gap there. */
export type Value = number | null | undefined;

export interface Columns {
  x: number[];
  lines: Value[][];
}

export type Point = readonly [x: number, y: number | null];

/** Lines with different x values as columns over all x values. */
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

/** A line's last value up to x, null in a gap; without x, its newest value. For a stack the part itself. */
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
