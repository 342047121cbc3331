import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import type { PriceCell } from "../../api/types";
import { Essentials } from "./Essentials";
import type { FieldProps } from "./field";
import classes from "./PlanPage.module.css";

interface Props extends FieldProps {
  /** The prices of the chosen size and ranks; undefined: there is no answer yet. */
  cell: PriceCell | undefined;
  /** Writes sizes in the units that the reader typed. */
  writeSize: (bytes: number) => string;
}

/** The answer in one sentence, above the figures that decide it. */
export function Answer({ cell, writeSize, ...fields }: Props) {
  const isWrong = Object.keys(fields.problems).length > 0;
  return (
    <section className="card" aria-labelledby="answer">
      <div className="card-head">
        <h2 id="answer">{cell ? `${writeSize(cell.size_bytes)} on ${shapeInWords(cell)}` : "Answer"}</h2>
        <SimulatedBadge />
      </div>
      <div className={`card-body ${classes.answer}`}>
        <p className={classes.sentence} role="status">
          {isWrong ? "Fix the marked fields to see the times." : cell?.answer}
        </p>
        <Essentials {...fields} />
      </div>
    </section>
  );
}

function shapeInWords({ shape, ranks }: PriceCell): string {
  return `${shape === String(ranks) ? "" : `${shape} = `}${ranks} ranks`;
}
