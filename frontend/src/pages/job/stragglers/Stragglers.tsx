/** Which ranks come late to the iterations of the chosen row, and how long these take once all have arrived. */
import { Caption } from "../../../components/marks/Caption";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { latenessQuery } from "../../../data/results";
import type { BenchmarkJob, MeasurementView } from "../../../api/types";
import { QueryError } from "../../../components/states/QueryError";
import { basisOf } from "../../../lib/sweep/caveats";
import { rowOptions } from "../chosenRow";
import { plural } from "../../../lib/format";
import { hasGaps, verdict } from "./lateness";
import { formatSize } from "../../../lib/size";
import { isSimulated } from "../../../lib/state";
import { NoRows } from "../NoRows";
import results from "../results/Results.module.css";
import { RowChoice } from "../RowChoice";
import classes from "./Stragglers.module.css";
import { StragglersTable } from "./StragglersTable";
import { StragglersView } from "./StragglersView";
import { Strips } from "./Strips";
import { useView } from "../useView";

interface Props {
  job: BenchmarkJob;
  rows: readonly MeasurementView[];
}

export function Stragglers({ job, rows }: Props) {
  const [search] = useView();
  const options = useMemo(() => rowOptions(rows, job.spec.benchmark.algorithms, search), [rows, job, search]);
  if (rows.length === 0) return <NoRows job={job} />;
  const { chosen } = options;
  return (
    <section className={`card ${results.results}`} aria-labelledby="stragglers">
      <div className="card-head">
        <h2 id="stragglers">Who comes late</h2>
        <RowChoice job={job} options={options} />
        <StragglersView />
      </div>
      {isSimulated(job, rows) ? (
        <p className="card-body dim">A simulation has no ranks that could be late: its times are the cost model&rsquo;s.</p>
      ) : (
        chosen && <OfRow job={job} row={chosen} isTable={search.view === "table"} />
      )}
    </section>
  );
}

function OfRow({ job, row, isTable }: { job: BenchmarkJob; row: MeasurementView; isTable: boolean }) {
  const place = { algorithm: row.algorithm, sizeBytes: row.size_bytes, inPlace: row.in_place };
  const lateness = useQuery(latenessQuery(job.id, job.attempts.at(-1)?.number ?? 1, place));
  const { data } = lateness;
  return (
    <figure className="card-body" aria-busy={lateness.isFetching}>
      <QueryError what="The iterations could not be loaded" query={lateness} />
      {data && data.ranks.length === 0 && (
        <p className="dim">{job.ranks < 2 ? "A single rank does not wait for another." : "No iteration of this row was reported by every rank."}</p>
      )}
      {data && data.ranks.length > 0 && (
        <>
          <p className={classes.verdict}>{verdict(data)}</p>
          {isTable ? <StragglersTable found={data} basis={basisOf(job)} /> : <Strips job={job} row={row} found={data} />}
          <Caption
            more={
              <>
                Lateness within the clock error is not drawn. The last strip is the time from the last rank&rsquo;s arrival to the end, which
                the network takes.
              </>
            }
          >
            {plural(data.steps, "iteration")} of {formatSize(row.size_bytes)}
            {data.steps_per_column > 1 && `, ${data.steps_per_column} in each column, of which the largest counts`}. Late means after the median
            rank.{hasGaps(data) && " Gaps are iterations of other rows, which take turns with this one."}
          </Caption>
        </>
      )}
    </figure>
  );
}
