import { Link } from "@tanstack/react-router";
import type { BenchmarkJob, MeasurementView } from "../../../api/types";
import { formatSize } from "../../../lib/size";
import { searchOf, traceOptions } from "../../../lib/search/tracedSearch";
import classes from "./Stragglers.module.css";
import { asksForTraces, useTraces } from "../useTraces";

interface Props {
  job: BenchmarkJob;
  row: MeasurementView;
  /** The rank of the chosen cell; null: the time after the last rank, which belongs to no rank. */
  rank: number | null;
  /** When the iteration began there; null: not known. */
  at: string | null;
}

/** Links from a cell of the strips: to the rank's output until then, and to the row's steps if an operation of it was traced. */
export function CellLinks({ job, row, rank, at }: Props) {
  const search = searchOf(row);
  const { data } = useTraces(job);
  const traces = data ?? [];
  const isKnown = data !== undefined || !asksForTraces(job);
  const isTraced = traceOptions(traces, search).isAsked;
  return (
    <p className={classes.links}>
      <Link
        to="/jobs/$jobId"
        params={{ jobId: job.id }}
        search={{ tab: "log", ...(rank !== null && { rank: String(rank) }), ...(at !== null && { at }) }}
      >
        {rank === null ? "Log of all ranks" : `Log of rank ${rank}`}
        {at !== null && " at that time"}
      </Link>
      {isTraced && (
        <>
          <Link to="/jobs/$jobId/ring" params={{ jobId: job.id }} search={search}>
            {row.algorithm} of {formatSize(row.size_bytes)}, step by step
          </Link>
          <span className="dim">The trace is of one additional operation of this row.</span>
        </>
      )}
      {!isTraced && traces.length > 0 && <span className="dim">No operation of this row was traced.</span>}
      {isKnown && traces.length === 0 && (
        <Link to="/jobs/$jobId/ring" params={{ jobId: job.id }}>
          How to trace an operation step by step
        </Link>
      )}
    </p>
  );
}
