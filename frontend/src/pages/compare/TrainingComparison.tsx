/** A comparison of training jobs. */
import { useQueries } from "@tanstack/react-query";
import { curveQuery, epochsQuery } from "../../data/training";
import type { JobView } from "../../api/types";
import { QueryError } from "../../components/states/QueryError";
import { Option } from "../../components/controls/Option";
import { Segments } from "../../components/controls/Segments";
import { useShortcut } from "../../components/hooks/shortcuts";
import { Skeleton } from "../../components/states/Skeleton";
import { baseOf, type Compared } from "../../lib/sweep/compare";
import { rateWords } from "../../lib/sweep/comparedRows";
import { formatRate } from "../../lib/format";
import { isTerminal } from "../../lib/state";
import classes from "./ComparePage.module.css";
import { CompareCharts } from "./CompareCharts";
import { CompareControls, useCompareSearch } from "./CompareControls";
import { CompareTable } from "./CompareTable";
import { Differences } from "./Differences";
import { StepSplits } from "./StepSplits";
import { Warnings } from "./Warnings";

export function TrainingComparison({ jobs }: { jobs: readonly JobView[] }) {
  const [search, set] = useCompareSearch();
  const curves = useQueries({ queries: jobs.map((job) => curveQuery(job.id, isTerminal(job.state))) });
  const epochs = useQueries({ queries: jobs.map((job) => epochsQuery(job.id, epochsDone(job))) });
  const items = jobs.flatMap((job, i): Compared[] => {
    if (job.summary.kind === "benchmark") return [];
    return [{ job, summary: job.summary, points: curves[i]?.data?.points ?? [], epochs: epochs[i]?.data ?? [] }];
  });
  const baseId = baseOf(items.map((item) => item.job.id), search.base);
  const base = items.find((item) => item.job.id === baseId);
  const axis = search.x ?? "steps";
  const isTable = search.view === "table";
  useShortcut("table", () => set({ view: isTable ? undefined : "table" }));
  if (!base) return null;
  const failed = (queries: typeof curves | typeof epochs) => queries.find((query) => query.error);
  const [failedCurve, failedEpochs] = [failed(curves), failed(epochs)];
  const isPending = [...curves, ...epochs].some((query) => query.isPending);
  return (
    <>
      <CompareControls jobs={jobs} base={base.job.id} part="curve" answer={<Answer items={items} base={base} />}>
        <Option label="Charts over">
          <Segments
            label="Charts over"
            value={axis}
            options={[["steps", "steps"], ["time", "time"]]}
            onChange={(next) => set({ x: next === "time" ? next : undefined })}
          />
        </Option>
      </CompareControls>
      {failedCurve && <QueryError what="The curve of a job could not be loaded" query={failedCurve} />}
      {failedEpochs && <QueryError what="The epochs of a job could not be loaded" query={failedEpochs} />}
      <CompareTable items={items} base={base} />
      {isPending ? <Skeleton rows={14} /> : <CompareCharts items={items} axis={axis} isTable={isTable} onView={(view) => set({ view })} />}
      <StepSplits items={items} />
      <Differences jobs={jobs} />
    </>
  );
}

/** How many samples a second each job trains, against the base job, and what differences may come from. */
function Answer({ items, base }: { items: readonly Compared[]; base: Compared }) {
  const before = base.summary.samples_per_second;
  return (
    <div className={classes.answer} role="status">
      {items.map(({ job, summary: { samples_per_second: rate } }) =>
        job === base.job ? null : (
          <div key={job.id}>
            {before && rate ? (
              <p>
                Job {job.id} trains {formatRate(rate)} samples/s, {rateWords(rate / before)} job {base.job.id} with {formatRate(before)}.{" "}
                <span className={classes.basis}>These are means over all steps but the first of each attempt.</span>
              </p>
            ) : null}
            <Warnings job={job} base={base.job} />
          </div>
        ),
      )}
    </div>
  );
}

function epochsDone({ summary }: JobView): number {
  return summary.kind === "benchmark" ? 0 : summary.epochs_done;
}
