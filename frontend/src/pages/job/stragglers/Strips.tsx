import { type KeyboardEvent, useState } from "react";
import type { BenchmarkJob, Lateness, MeasurementView, RankLateness } from "../../../api/types";
import { HeatStrip } from "./HeatStrip";
import { formatSeconds } from "../../../lib/amount";
import { threeDigits } from "../../../lib/format";
import { type Cell, cellOf, cellText, cellWords, columnWords, instantOf, lastShare, leastReal, medianLate, mostLate, UNTOLD } from "./lateness";
import { usePartKeys } from "../../../components/hooks/shortcuts";
import { CellLinks } from "./CellLinks";
import classes from "./Stragglers.module.css";
import { useView } from "../useView";

interface Props {
  job: BenchmarkJob;
  row: MeasurementView;
  found: Lateness;
}

/** A strip for each rank; a click or the arrow keys choose a cell, which is described below and is in the URL. */
export function Strips({ job, row, found }: Props) {
  const [search, set] = useView();
  const [pointed, setPointed] = useState<Cell | null>(null);
  const chosen = cellOf(found, search.cell);
  const cursor = pointed ?? chosen;
  const columns = found.after_us.length;
  const most = mostLate(found.ranks);
  const mostAfter = Math.max(0, ...found.after_us.map((value) => value ?? 0));
  usePartKeys("strips");
  const choose = (cell: Cell): void => set({ cell: cellText(found, cell) });
  const onKey = (event: KeyboardEvent): void => {
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    setPointed(null);
    const from = chosen ?? { row: 0, column: -move[1] };
    choose({ row: clamp(from.row + move[0], found.ranks.length), column: clamp(from.column + move[1], columns - 1) });
  };
  const stripOf = (strip: number) => ({
    cursor: cursor?.row === strip ? cursor.column : null,
    onPoint: (column: number) => setPointed({ row: strip, column }),
    onChoose: (column: number) => choose({ row: strip, column }),
  });
  return (
    <>
      {/* The strips are one tab stop, like a grid of cells. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions */}
      <div className="scroll-x" tabIndex={0} role="group" aria-label="Strips of lateness; the arrow keys go from cell to cell" onKeyDown={onKey} onMouseLeave={() => setPointed(null)}>
        <table className={classes.strips}>
          <thead>
            <tr>
              <th scope="col">Rank</th>
              <th scope="col" className={classes.cells}>
                Iterations, late by up to {formatSeconds(most / 1e6)}
              </th>
              <th scope="col" className="number">{found.steps_per_column > 1 ? "mean" : "median"} late (µs)</th>
              <th scope="col" className="number">came last</th>
            </tr>
          </thead>
          <tbody>
            {found.ranks.map((rank, strip) => (
              <Strip key={rank.rank} rank={rank} most={most} steps={found.steps} middle={medianLate(rank, found) ?? rank.mean_late_us} {...stripOf(strip)} />
            ))}
            <tr className={classes.after}>
              <th scope="row">after the last arrival</th>
              <td>
                <HeatStrip values={found.after_us} least={0} most={mostAfter} {...stripOf(found.ranks.length)} />
              </td>
              <td colSpan={2} className="number dim">
                up to {formatSeconds(mostAfter / 1e6)}
              </td>
            </tr>
          </tbody>
        </table>
      </div>
      <p className={classes.readout} aria-live="polite">
        {cursor ? readout(found, cursor) : <span className="dim">Point at a cell and click, or go through them with the arrow keys.</span>}
      </p>
      {chosen && <CellLinks job={job} row={row} rank={found.ranks[chosen.row]?.rank ?? null} at={instantOf(found, chosen)} />}
    </>
  );
}

const MOVES: Record<string, readonly [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

function clamp(value: number, last: number): number {
  return Math.max(0, Math.min(last, value));
}

function readout(found: Lateness, { row, column }: Cell): string {
  const rank = found.ranks[row];
  if (rank) return cellWords(found, rank, column);
  const after = found.after_us[column];
  return `after the last rank, ${columnWords(found, column)}: ${after == null ? UNTOLD : `${threeDigits(after)} µs`}`;
}

interface StripProps {
  rank: RankLateness;
  most: number;
  steps: number;
  /** Its median lateness in µs. */
  middle: number;
  cursor: number | null;
  onPoint: (column: number) => void;
  onChoose: (column: number) => void;
}

function Strip({ rank, most, steps, middle, ...cells }: StripProps) {
  return (
    <tr>
      <th scope="row">
        rank {rank.rank} <span className="dim">{rank.node}</span>
      </th>
      <td>
        <HeatStrip values={rank.late_us} least={leastReal(rank)} most={most} {...cells} />
      </td>
      <td className="number">{threeDigits(middle)}</td>
      <td className="number" title={`${rank.last_steps_beyond_error} of ${steps} iterations`}>
        {lastShare(rank, steps)}
      </td>
    </tr>
  );
}
