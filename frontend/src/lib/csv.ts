/** What a badge says of numbers on the page, and nothing says once they are in somebody's sheet. */
export interface Basis {
  basis: "measured" | "simulated";
  /** Why what was measured is not what the nodes can do; empty where nothing is known against it. */
  caveats: string;
}

export const MEASURED: Basis = { basis: "measured", caveats: "" };
export const SIMULATED: Basis = { basis: "simulated", caveats: "" };

/** Takes a list of all columns of T; the type checker names those that are missing. */
export function allColumns<T>() {
  type Column = keyof T & string;
  type Complete<C extends readonly Column[]> = [Exclude<Column, C[number]>] extends [never] ? unknown : { missing: Exclude<Column, C[number]> };
  return <const C extends readonly Column[]>(columns: C & Complete<C>): C => columns;
}

/** Comma-separated values (RFC 4180) of rows with a fixed list of columns, after what each row is. */
export function toCsv<T extends object>(rows: readonly T[], columns: readonly (keyof T & string)[], basis: Basis | ((row: T) => Basis)): string {
  const cell = (value: unknown): string => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const what = (row: T): Basis => (typeof basis === "function" ? basis(row) : basis);
  const line = (row: T): string => [what(row).basis, what(row).caveats, ...columns.map((column) => row[column])].map(cell).join(",");
  const lines = [["basis", "caveats", ...columns].join(","), ...rows.map(line)];
  return `${lines.join("\r\n")}\r\n`;
}
