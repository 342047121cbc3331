import { type ReactNode, useCallback, useMemo } from "react";
import { useShortcut } from "../../components/hooks/shortcuts";
import { Caption } from "../../components/marks/Caption";
import { CopyButton } from "../../components/controls/CopyButton";
import { Segments } from "../../components/controls/Segments";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { type Basis, toCsv } from "../../lib/csv";
import { plural } from "../../lib/format";
import { criticalPath, type Move, type Run } from "../../lib/moves";
import { LanePicture } from "./LanePicture";
import { MoveTable } from "./MoveTable";
import classes from "./Lanes.module.css";

const CSV_COLUMNS: (keyof Move)[] = [
  "step", "phase", "src", "dst", "chunks", "intoChunks", "reduce", "bytes", "waitUs", "startUs", "arrivedUs", "addingUs", "endUs", "errorUs",
  "predictedUs", "values",
];

interface Props {
  run: Run;
  step: number;
  isTable: boolean;
  /** Whether the times are measured or the cost model's. */
  basis: Basis;
  onView: (view: "table" | undefined) => void;
  /** The control that saves the same for Perfetto. */
  perfetto: ReactNode;
  /** The source of the times, in one sentence. */
  children: ReactNode;
  /** Limits and definitions of the picture. */
  more?: ReactNode;
}

/** The messages in time, as lanes or as a table: a worked example's or those of a job's ranks. */
export function Lanes({ run, step, isTable, basis, onView, perfetto, children, more }: Props) {
  const isSimulated = basis.basis === "simulated";
  const moves = useMemo(() => run.steps.flat(), [run]);
  const critical = useMemo(() => criticalPath(run), [run]);
  const turn = useCallback(() => onView(isTable ? undefined : "table"), [onView, isTable]);
  useShortcut("table", turn);
  return (
    <section className="card" aria-labelledby="lanes">
      <div className="card-head">
        <h2 id="lanes">In time</h2>
        {isSimulated && <SimulatedBadge />}
        <div className={classes.controls}>
          <Segments
            label="View"
            value={isTable ? "table" : "lanes"}
            options={[["lanes", "lanes"], ["table", "table"]]}
            onChange={(view) => onView(view === "table" ? view : undefined)}
          />
          <CopyButton text={() => toCsv(moves, CSV_COLUMNS, basis)} label="Copy CSV" />
          {perfetto}
        </div>
      </div>
      <figure className={`card-body ${classes.body}`}>
        {isTable ? (
          <MoveTable moves={moves} current={run.steps[step - 1] ?? []} isSimulated={isSimulated} />
        ) : (
          <LanePicture run={run} step={step} critical={critical} />
        )}
        <Caption more={more}>
          {children} The longest chain of messages that wait for each other has {plural(critical.length, "message")}.
        </Caption>
      </figure>
    </section>
  );
}
