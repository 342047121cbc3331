/** What a badge on the page says of numbers, and what a spreadsheet would lack without these columns. */
export interface Basis {
  basis: "measured" | "simulated";
  /** Why the measurement may not show what the nodes can do; empty if nothing speaks against it. */
  caveats: string;
}

export const MEASURED: Basis = { basis: "measured", caveats: "" };
export const SIMULATED: Basis = { basis: "simulated", caveats: "" };

/** Takes a list of all columns of T; the type checker names missing ones. */
export function allColumns<T>() {
  type Column = keyof T & string;
  type Complete<C extends readonly Column[]> = [Exclude<Column, C[number]>] extends [never] ? unknown : { missing: Exclude<Column, C[number]> };
  return <const C extends readonly Column[]>(columns: C & Complete<C>): C => columns;
}

/** Comma-separated values (RFC 4180) of rows with a fixed list of columns, after the basis of each row. */
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
