import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { planQuery } from "../../data/planning";
import type { PriceCell, RegimeFigures } from "../../api/types";
import { colourToken } from "../../lib/sweep/style";
import { Caption } from "../../components/marks/Caption";
import { CopyButton } from "../../components/controls/CopyButton";
import { ScrollX } from "../../components/controls/ScrollX";
import { SIMULATED, toCsv } from "../../lib/csv";
import { threeDigits } from "../../lib/format";
import { lead, mapShapes, mapSizes } from "../../lib/planGrid";
import { type PlanForm, planQuestion } from "../../lib/form/planForm";
import { Fold } from "./Fold";
import { priceInWords } from "./price";
import { formatSize, parseSize, sizeWriter } from "../../lib/size";
import classes from "./PlanPage.module.css";

interface Props {
  form: PlanForm;
  parameters: readonly RegimeFigures[];
  /** The cell that the page shows. */
  chosen: PriceCell;
}

/** Which algorithm is fastest, for each size and number of ranks; a cell leads to its prices. */
export function WinnerMap({ form, parameters, chosen }: Props) {
  const size = parseSize(form.S) ?? 1;
  const { data } = useQuery(planQuery({ ...planQuestion(form, parameters), sizes_bytes: mapSizes(size), shapes: mapShapes(form.n) }));
  // The sizes of the map are powers of two, except the one that was typed.
  const sizeText = (bytes: number): string => (bytes === size ? sizeWriter(form.S)(bytes) : formatSize(bytes));
  if (!data) return null; // the charts make the same request, and show its error
  const sizes = [...new Set(data.cells.map((cell) => cell.size_bytes))];
  const shapes = [...new Set(data.cells.map((cell) => cell.shape))];
  return (
    <Fold title="Fastest algorithm by size and ranks">
      <div className={classes.copies}>
        <CopyButton text={() => csv(data.cells)} label="Copy CSV" />
      </div>
      <ScrollX label="The fastest algorithm, ranks by size">
        <table className={classes.map}>
          <caption className="hidden-visually">The fastest algorithm for each number of ranks (rows) and message size (columns)</caption>
          <thead>
            <tr>
              <th scope="col">Ranks</th>
              {sizes.map((one) => (
                <th key={one} scope="col">
                  {sizeText(one)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shapes.map((shape) => (
              <tr key={shape}>
                <th scope="row">{shape}</th>
                {sizes.map((one) => (
                  <Cell key={one} cell={data.cells.find((cell) => cell.shape === shape && cell.size_bytes === one)} chosen={chosen} sizeText={sizeText} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <div className={`card-body ${classes.note}`}>
        <Caption more="The sign = means equal; no number means that only an upper bound is known. The outlined cell is the plan above.">
          The number is the second fastest time over the fastest. A cell opens its plan.
        </Caption>
      </div>
    </Fold>
  );
}

interface CellProps {
  cell: PriceCell | undefined;
  chosen: PriceCell;
  /** The text of the field for the size. */
  sizeText: (bytes: number) => string;
}

function Cell({ cell, chosen, sizeText }: CellProps) {
  if (!cell?.fastest) return <td>–</td>;
  const ahead = lead(cell);
  const best = cell.results.find((price) => price.algorithm === cell.fastest);
  const colour = colourToken(cell.fastest);
  const isChosen = cell.shape === chosen.shape && cell.size_bytes === chosen.size_bytes;
  const behind = ahead === null ? "" : ahead < 1.005 ? "=" : `${threeDigits(ahead)}×`;
  return (
    <td data-chosen={isChosen || undefined}>
      <Link
        to="/plan"
        search={(old) => ({ ...old, n: cell.shape, S: sizeText(cell.size_bytes).replace(" ", "") })}
        resetScroll={false}
        style={{ borderColor: `var(${colour})`, background: `color-mix(in srgb, var(${colour}) 14%, var(--surface))` }}
        title={best ? priceInWords(best) : ""}
      >
        <span className="hidden-visually">{`${cell.shape} ranks, ${sizeText(cell.size_bytes)}: `}</span>
        {cell.fastest} <small>{behind}</small>
      </Link>
    </td>
  );
}

function csv(cells: readonly PriceCell[]): string {
  const rows = cells.map((cell) => ({
    shape: cell.shape,
    ranks: cell.ranks,
    size_bytes: cell.size_bytes,
    fastest: cell.fastest,
    time_s: cell.results.find((price) => price.algorithm === cell.fastest)?.time_s,
    second_to_first: lead(cell),
  }));
  return toCsv(rows, ["shape", "ranks", "size_bytes", "fastest", "time_s", "second_to_first"], SIMULATED);
}
