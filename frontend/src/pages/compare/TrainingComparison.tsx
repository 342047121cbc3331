/** A comparison of training jobs. */
import { useQueries } from "@tanstack/react-query";
import { curveQuery, epochsQuery } from "../../data/training";
import type { JobView } from "../../api/types";
import { QueryError } from "../../components/states/QueryError";
import { Segments } from "../../components/controls/Segments";
import { useShortcut } from "../../components/hooks/shortcuts";
import { Skeleton } from "../../components/states/Skeleton";
import type { Compared } from "../../lib/sweep/compare";
import { isTerminal } from "../../lib/state";
import { CompareCharts } from "./CompareCharts";
import { Choice, CompareControls, useCompareSearch } from "./CompareControls";
import { CompareTable } from "./CompareTable";
import { Differences } from "./Differences";
import { SameComparison } from "./SameComparison";
import { StepSplits } from "./StepSplits";

export function TrainingComparison({ jobs }: { jobs: readonly JobView[] }) {
  const [search, set] = useCompareSearch();
  const curves = useQueries({ queries: jobs.map((job) => curveQuery(job.id, isTerminal(job.state))) });
  const epochs = useQueries({ queries: jobs.map((job) => epochsQuery(job.id, epochsDone(job))) });
  const items = jobs.flatMap((job, i): Compared[] => {
    if (job.summary.kind === "benchmark") return [];
    return [{ job, summary: job.summary, points: curves[i]?.data?.points ?? [], epochs: epochs[i]?.data ?? [] }];
  });
  const base = items.find((item) => String(item.job.id) === search.base) ?? items[0];
  const axis = search.x ?? "steps";
  const isTable = search.view === "table";
  useShortcut("table", () => set({ view: isTable ? undefined : "table" }));
  if (!base) return null;
  const failed = (queries: typeof curves | typeof epochs) => queries.find((query) => query.error);
  const [failedCurve, failedEpochs] = [failed(curves), failed(epochs)];
  const isPending = [...curves, ...epochs].some((query) => query.isPending);
  return (
    <>
      <CompareControls jobs={jobs} base={base.job.id}>
        <Choice label="Charts over">
          <Segments
            label="Charts over"
            value={axis}
            options={[["steps", "steps"], ["time", "time"]]}
            onChange={(next) => set({ x: next === "time" ? next : undefined })}
          />
        </Choice>
      </CompareControls>
      {failedCurve && <QueryError what="The curve of a job could not be loaded" query={failedCurve} />}
      {failedEpochs && <QueryError what="The epochs of a job could not be loaded" query={failedEpochs} />}
      <CompareTable items={items} base={base} />
      {isPending ? <Skeleton rows={14} /> : <CompareCharts items={items} axis={axis} isTable={isTable} onView={(view) => set({ view })} />}
      <StepSplits items={items} />
      <Differences jobs={jobs} />
      <SameComparison ids={jobs.map((job) => job.id)} base={base.job.id} isTraining />
    </>
  );
}

function epochsDone({ summary }: JobView): number {
  return summary.kind === "benchmark" ? 0 : summary.epochs_done;
}
