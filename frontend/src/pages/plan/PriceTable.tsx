import type { PriceCell } from "../../api/types";
import { CopyButton } from "../../components/controls/CopyButton";
import { ScrollX } from "../../components/controls/ScrollX";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { Swatch } from "../../components/marks/Swatch";
import { digits, formatSeconds } from "../../lib/amount";
import { aligned, timeUnit } from "./column";
import { percent } from "../../lib/format";
import { pricesCsv, slowestRatio } from "../../lib/planGrid";
import { priceInWords } from "./price";
import { phaseInWords } from "../../lib/moveWords";
import classes from "./PlanPage.module.css";

interface Props {
  cell: PriceCell;
  /** Writes sizes in the units that the reader typed. */
  writeSize: (bytes: number) => string;
}

/** All prices for the chosen size and ranks, fastest first: the output of `ringscope plan`. */
export function PriceTable({ cell, writeSize }: Props) {
  const sorted = [...cell.results].sort((a, b) => a.time_s - b.time_s);
  const hasFormula = sorted.some((price) => price.formula_s != null);
  const { unit, perSecond } = timeUnit(sorted.map((price) => price.time_s));
  const times = aligned(sorted.map((price) => price.time_s * perSecond));
  const formulas = aligned(sorted.map((price) => (price.formula_s == null ? null : price.formula_s * perSecond)));
  const busbws = aligned(sorted.map((price) => price.busbw_gb_per_s));
  const algbws = aligned(sorted.map((price) => price.algbw_gb_per_s));
  return (
    <section className="card" aria-labelledby="prices">
      <div className="card-head">
        <h2 id="prices">
          {writeSize(cell.size_bytes)} on {cell.shape === String(cell.ranks) ? "" : `${cell.shape} = `}
          {cell.ranks} ranks
        </h2>
        <SimulatedBadge />
        <div className={classes.controls}>
          <CopyButton text={() => pricesCsv(sorted)} label="Copy CSV" />
        </div>
      </div>
      <p className={`card-body ${classes.verdict}`} role="status">
        {verdict(cell)}
      </p>
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
              <th scope="col" className="number">Steps</th>
              <th scope="col" className="number">Messages in a row</th>
              <th scope="col" className="number">One rank sends</th>
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
                <td className="number">{price.steps ?? "–"}</td>
                <td className="number">{price.messages ?? "–"}</td>
                <td className="number">{price.sent_bytes == null ? "–" : writeSize(price.sent_bytes)}</td>
                {hasFormula && <td className="number">{formulas[i]}</td>}
                <td className="dim">{price.phase_ends_s ? phases(price.phase_ends_s) : price.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <details className={`card-body dim ${classes.note}`}>
        <summary>About these figures</summary>
        Schedules are priced at line rate, of which libraries reach about 80 % on NVLink; the error of nccl, NCCL&rsquo;s own model, has a median of 5.5 %: how far off both
        are, and where the links&rsquo; figures come from, says docs/planner.md. busbw of an all-reduce is algbw × 2(n−1)/n.
        {cell.limit_gb_per_s != null && ` No schedule of these ranks can pass a busbw of ${digits(cell.limit_gb_per_s)} GB/s on these links; NVLS, whose switches add, can.`}{" "}
        In channels: side by side, each out of a node by another card. At most: messages share links at times that were not followed. One rank sends: the most that any rank does. Textbook: the closed formula, where there is one for such a network.
      </details>
    </section>
  );
}

function phases(ends: Record<string, number>): string {
  return Object.entries(ends).map(([name, seconds]) => `${phaseInWords(name)} ${formatSeconds(seconds)}`).join(", ");
}

function verdict(cell: PriceCell): string {
  const best = cell.results.find((price) => price.algorithm === cell.fastest);
  if (!best) return cell.ranks > 1 ? "None of these is a whole all-reduce: gather only collects." : "A single rank has nothing to exchange.";
  const equals = cell.results.filter((price) => price.is_whole && price !== best && price.time_s <= best.time_s * 1.001).map((price) => price.algorithm);
  const beyond = slowestRatio(cell);
  const bounded = cell.results.filter((price) => price.is_bound && price !== best).map((price) => price.algorithm);
  const doubt = bounded.length > 0 ? ` Of ${bounded.join(" and ")} only an upper bound is known.` : "";
  const also = equals.length > 0 ? ` (as ${equals.join(" and ")})` : "";
  const behind = beyond && beyond.times > 1.001 ? `, ${digits(beyond.times)} times as fast as ${beyond.slowest.algorithm}` : "";
  const parts = cell.results.filter((price) => !price.is_whole).map((price) => price.algorithm);
  const only = parts.length > 0 ? ` ${parts.join(" and ")} only collects and hands nothing out, so it does not compete.` : "";
  return `${best.algorithm}${also} is fastest: ${priceInWords(best)}${behind}.${doubt}${only}`;
}
