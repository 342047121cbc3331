import type { Price, PriceCell } from "../../api/types";
import { CopyButton } from "../../components/controls/CopyButton";
import { ScrollX } from "../../components/controls/ScrollX";
import { Swatch } from "../../components/marks/Swatch";
import { digits, formatSeconds } from "../../lib/amount";
import { aligned, timeUnit } from "./column";
import { percent } from "../../lib/format";
import { pricesCsv } from "../../lib/planGrid";
import { phaseInWords } from "../../lib/moveWords";
import { Fold } from "./Fold";
import classes from "./PlanPage.module.css";

interface Props {
  cell: PriceCell;
  /** Writes sizes in the units that the reader typed. */
  writeSize: (bytes: number) => string;
}

/** All prices of the chosen size and ranks, fastest first: the table of `ringscope plan`. */
export function PriceTable({ cell, writeSize }: Props) {
  const sorted = [...cell.results].sort((a, b) => a.time_s - b.time_s);
  const hasFormula = sorted.some((price) => price.formula_s != null);
  const has = (column: "steps" | "messages" | "sent_bytes"): boolean => sorted.some((price) => price[column] != null);
  const notes = notesOf(cell);
  const { unit, perSecond } = timeUnit(sorted.map((price) => price.time_s));
  const times = aligned(sorted.map((price) => price.time_s * perSecond));
  const formulas = aligned(sorted.map((price) => (price.formula_s == null ? null : price.formula_s * perSecond)));
  const busbws = aligned(sorted.map((price) => price.busbw_gb_per_s));
  const algbws = aligned(sorted.map((price) => price.algbw_gb_per_s));
  return (
    <Fold title="Times of all algorithms">
      <div className={classes.copies}>
        <CopyButton text={() => pricesCsv(sorted)} label="Copy CSV" />
      </div>
      <ScrollX label="Prices, one algorithm in each row">
        <table>
          <caption className="hidden-visually">Times of the cost model for each algorithm; nothing was measured</caption>
          <thead>
            <tr>
              <th scope="col">Algorithm</th>
              <th scope="col" className="number">Time ({unit})</th>
              <th scope="col" className="number">busbw (GB/s)</th>
              <th scope="col" className="number">Of the links&rsquo; limit</th>
              <th scope="col" className="number">algbw (GB/s)</th>
              {has("steps") && <th scope="col" className="number">Steps</th>}
              {has("messages") && <th scope="col" className="number">Messages in a row</th>}
              {has("sent_bytes") && <th scope="col" className="number">One rank sends</th>}
              {hasFormula && <th scope="col" className="number">Textbook ({unit})</th>}
              <th scope="col">Phases end at</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map((price, i) => (
              <tr key={price.algorithm}>
                <th scope="row">
                  <Swatch algorithm={price.algorithm} /> {price.algorithm}
                  {(price.channels ?? 1) > 1 && <span className="dim"> in {price.channels} channels</span>}
                  {!price.is_whole && <span className="dim"> only collects</span>}
                  {price.algorithm === cell.fastest && <span className={classes.fastest}> ✓ fastest</span>}
                </th>
                <td className="number">{price.is_bound && "at most "}{times[i]}</td>
                <td className="number">{price.is_whole ? busbws[i] : "–"}</td>
                <td className="number">{cell.limit_gb_per_s && price.is_whole ? percent(price.busbw_gb_per_s / cell.limit_gb_per_s) : "–"}</td>
                <td className="number">{algbws[i]}</td>
                {has("steps") && <td className="number">{price.steps ?? "–"}</td>}
                {has("messages") && <td className="number">{price.messages ?? "–"}</td>}
                {has("sent_bytes") && <td className="number">{price.sent_bytes == null ? "–" : writeSize(price.sent_bytes)}</td>}
                {hasFormula && <td className="number">{formulas[i]}</td>}
                <td className="dim">{price.phase_ends_s ? phases(price.phase_ends_s) : price.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <div className={`card-body dim ${classes.note}`}>
        {notes.map((note) => (
          <p key={note}>{note}</p>
        ))}
      </div>
    </Fold>
  );
}

function phases(ends: Record<string, number>): string {
  return Object.entries(ends).map(([name, seconds]) => `${phaseInWords(name)} ${formatSeconds(seconds)}`).join(", ");
}

/** What the table's columns mean, as far as they are there. */
function notesOf({ results, ranks, limit_gb_per_s: limit }: PriceCell): string[] {
  const some = (is: (price: Price) => boolean, note: string): string[] => (results.some(is) ? [note] : []);
  return [
    ...some((price) => price.source === "schedule", "Schedules are priced at line rate, of which libraries reach about 80 % on NVLink (docs/planner.md)."),
    ...some((price) => price.source.startsWith("nccl"), "nccl is NCCL’s own model, whose error has a median of 5.5 % (docs/planner.md)."),
    ...(ranks > 1 ? ["The bus bandwidth (busbw) of an all-reduce is algbw × 2(N−1)/N."] : []),
    ...(limit == null ? [] : [`No schedule of these ranks can exceed a busbw of ${digits(limit)} GB/s on these links.`]),
    ...some((price) => price.source.includes("NVLS"), "NVLS can exceed that limit, because its switches add."),
    ...some((price) => !price.is_whole, "gather only collects: one rank has the sum and the others do not."),
    ...some((price) => (price.channels ?? 1) > 1, "Channels run side by side, each out of a node through another card."),
    ...some((price) => price.is_bound, "“At most” is an upper bound: the times at which messages share links were not followed."),
    ...some((price) => price.sent_bytes != null, "“One rank sends” is the most that any rank sends."),
    ...some((price) => price.formula_s != null, "“Textbook” is the closed formula, where one exists for such a network."),
  ];
}
