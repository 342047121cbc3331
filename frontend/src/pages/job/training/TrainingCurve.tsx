/** Loss, accuracy, throughput and the parts of a step, over all attempts. Updates live. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { curveQuery } from "../../../data/training";
import type { CurvePoint, JobView, TrainingCurve } from "../../../api/types";
import { CopyButton } from "../../../components/controls/CopyButton";
import { Loaded } from "../../../components/states/Loaded";
import { Segments } from "../../../components/controls/Segments";
import { toCsv } from "../../../lib/csv";
import type { JobSearch } from "../../../lib/search/search";
import { isTerminal } from "../../../lib/state";
import { basisOf } from "../../../lib/sweep/caveats";
import { CurveCharts } from "./CurveCharts";
import { CurveTable } from "./CurveTable";
import classes from "../results/Results.module.css";

const route = getRouteApi("/jobs/$jobId");
const CSV_COLUMNS: (keyof CurvePoint)[] = [
  "first_step", "last_step", "loss", "samples_per_second", "duration_us", "compute_us", "communication_us", "exposed_us",
  "input_us", "memory_bytes",
];

export function TrainingCurve({ job }: { job: JobView }) {
  const curve = useQuery(curveQuery(job.id, isTerminal(job.state)));
  return (
    <Loaded query={curve} what="The curve could not be loaded" rows={14}>
      {(found) => found.points.length > 0 && <Training job={job} curve={found} />}
    </Loaded>
  );
}

function Training({ job, curve }: { job: JobView; curve: TrainingCurve }) {
  const { view = "chart" } = route.useSearch();
  const navigate = route.useNavigate();
  const { points } = curve;
  const isScript = job.spec.kind === "script";
  return (
    <section className="card" aria-labelledby="curve">
      <div className="card-head">
        <h2 id="curve">Training</h2>
        <div className={classes.controls}>
          <Segments
            label="View"
            value={view}
            options={[["chart", "charts"], ["table", "table"]]}
            onChange={(next) =>
              void navigate({
                search: (old) => ({ ...old, view: next === "table" ? next : undefined }) as JobSearch,
                replace: true,
                resetScroll: false,
              })
            }
          />
          <CopyButton text={() => toCsv(points, CSV_COLUMNS, basisOf(job))} label="Copy CSV" />
        </div>
      </div>
      <div className="card-body">
        {view === "table" ? <CurveTable points={points} isScript={isScript} /> : <CurveCharts curve={curve} isScript={isScript} />}
      </div>
    </section>
  );
}
