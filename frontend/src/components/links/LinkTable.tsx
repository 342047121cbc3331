import type { KeyboardEvent } from "react";
import type { LinkView } from "../../api/types";
import { CaveatSign } from "../marks/Caveats";
import { ScrollX } from "../controls/ScrollX";
import { formatAgo, secondsBetween, threeDigits } from "../../lib/format";
import { unstableWords } from "../../lib/sweep/caveats";
import classes from "./LinkTable.module.css";
import { isSlow, type Matrix, rateOf } from "./matrix";

/** The most columns whose cells have room for figures. */
export const MOST_WITH_FIGURES = 20;

/** The class of a cell's button. */
export const cellClass = classes.cell;

interface Props {
  found: Matrix;
  /** The row of this node alone. */
  only: string | undefined;
  /** The word for a pair whose measurement did not end. */
  ended?: ((a: string, b: string) => string | undefined) | undefined;
  onOpen: (a: string, b: string) => void;
}

/** A cell for each direction between two nodes; of many nodes without figures, which its tooltip and its history have. */
export function LinkTable({ found, only, ended, onOpen }: Props) {
  const isDense = found.names.length > MOST_WITH_FIGURES;
  const now = new Date().toISOString();
  return (
    <ScrollX label="Bandwidth between nodes in GB/s" isTall={isDense && "page"}>
      <table className={classes.matrix} data-dense={isDense || undefined}>
        <Head corner="GB/s" names={found.names} racks={found.racks} />
        <tbody>
          {(only === undefined ? found.names : [only]).map((row) => (
            <tr key={row} data-rack={found.racks.has(row) || undefined}>
              <th scope="row">{row}</th>
              {found.names.map((column) => (
                <Cell key={column} row={row} column={column} found={found} isDense={isDense} now={now} ended={ended?.(row, column)} onOpen={onOpen} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

interface CellProps extends Omit<Props, "only" | "ended"> {
  row: string;
  column: string;
  isDense: boolean;
  now: string;
  ended: string | undefined;
}

function Cell({ row, column, found, isDense, now, ended, onOpen }: CellProps) {
  const rack = found.racks.has(column) || undefined;
  if (row === column) return <td data-rack={rack} />;
  if (ended !== undefined) {
    return (
      <td className="number" data-rack={rack} data-slow title={`${row} and ${column}: ${ended}`}>
        <span aria-hidden={isDense}>{isDense ? "✕" : ended}</span>
        {isDense && <span className="hidden-visually">{ended}</span>}
      </td>
    );
  }
  const link = found.at(row, column);
  if (!link) return <td className="number dim" data-rack={rack}>–</td>;
  const rate = rateOf(link, row);
  const slow = isSlow(rate, found);
  const caveats = caveatsOf(link);
  const figure = threeDigits(rate.middle);
  const rail = link.rail == null ? "" : `, rail ${link.rail}`;
  return (
    <td className="number" data-rack={rack} data-slow={slow || undefined} style={slow ? undefined : { background: shade(rate.middle, found.most) }}>
      {caveats.length > 0 && !isDense && <CaveatSign found={caveats} />}
      <button type="button" className={classes.cell} title={words(link, row, column, now)} aria-label={`${row} to ${column}: ${figure} GB/s${rail}${slow ? ", slow" : ""}`} onKeyDown={moveFocus} onClick={() => onOpen(row, column)}>
        {slow && "▾"}
        {!isDense && figure}
        {!isDense && link.rail != null && <span className="dim"> r{link.rail}</span>}
      </button>
    </td>
  );
}

/** The names of the columns, below the racks on which they begin. */
export function Head({ corner, names, racks }: { corner: string; names: readonly string[]; racks: ReadonlyMap<string, string> }) {
  const starts = [...racks.keys()];
  const spans = starts.map((name, i) => names.indexOf(starts[i + 1] ?? "") - names.indexOf(name));
  return (
    <thead>
      {racks.size > 0 && (
        <tr className={classes.racks}>
          <th />
          {starts.map((name, i) => {
            const span = spans[i] ?? 0;
            return (
              <th key={name} scope="colgroup" data-rack colSpan={span > 0 ? span : names.length - names.indexOf(name)}>
                {racks.get(name)}
              </th>
            );
          })}
        </tr>
      )}
      <tr>
        <th scope="col">{corner}</th>
        {names.map((name) => (
          <th key={name} scope="col" className="number" data-rack={racks.has(name) || undefined}>
            <span>{name}</span>
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Rows down and columns to the right. */
const ARROWS: Record<string, readonly [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The arrow keys lead from a cell to the ones beside it. */
export function moveFocus(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = ARROWS[event.key];
  const cell = event.currentTarget.closest("td");
  const rows = cell?.closest("tbody")?.rows;
  if (!cell || !rows || !step) return;
  let [row, column] = [(cell.parentElement as HTMLTableRowElement).sectionRowIndex, cell.cellIndex];
  let next: HTMLButtonElement | null | undefined;
  do {
    row += step[0];
    column += step[1];
    if (!rows.item(row)?.cells.item(column)) return;
    next = rows.item(row)?.cells.item(column)?.querySelector<HTMLButtonElement>(`.${classes.cell ?? ""}`);
  } while (!next);
  event.preventDefault();
  next.focus();
}

function caveatsOf(link: LinkView): { word: string; why: string }[] {
  return [
    ...(link.disturbed_by ? [{ word: "disturbed", why: link.disturbed_by }] : []),
    ...(link.is_unstable ? [{ word: "unstable", why: unstableWords() }] : []),
  ];
}

/** "h1 to h2: 0.0243 GB/s (0.0241 to 0.0245), n=12, 80.1 µs, job 5, 3 h ago". */
function words(link: LinkView, row: string, column: string, now: string): string {
  const { middle, low, high } = rateOf(link, row);
  const interval = low === high ? "" : ` (${threeDigits(low)} to ${threeDigits(high)})`;
  const count = link.iterations == null ? "" : `, n=${link.iterations}`;
  const latency = link.latency_us == null ? "" : `, ${threeDigits(link.latency_us)} µs`;
  const rail = link.rail == null ? "" : `, rail ${link.rail}, the slowest of ${link.rails.length}`;
  return `${row} to ${column}${rail}: ${threeDigits(middle)} GB/s${interval}${count}${latency}, job ${link.job_id}, ${formatAgo(secondsBetween(link.measured_at, now))}`;
}

export function shade(value: number, most: number): string {
  return `color-mix(in srgb, var(--accent-soft) ${Math.round((60 * value) / most) + 20}%, var(--surface))`;
}
