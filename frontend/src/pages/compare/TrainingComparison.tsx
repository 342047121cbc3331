/** Training jobs side by side. */
import { useQueries } from "@tanstack/react-query";
import { curveQuery, epochsQuery } from "../../data/training";
import type { JobView } from "../../api/types";
import { Segments } from "../../components/Segments";
import type { Compared } from "../../lib/compare";
import { isTerminal } from "../../lib/state";
import { CompareCharts } from "./CompareCharts";
import { Choice, CompareControls, useCompareSearch } from "./CompareControls";
import { CompareTable } from "./CompareTable";
import { Differences } from "./Differences";
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
  if (!base) return null;
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
      <CompareTable items={items} base={base} />
      <CompareCharts items={items} axis={axis} />
      <StepSplits items={items} />
      <Differences jobs={jobs} />
    </>
  );
}

function epochsDone({ summary }: JobView): number {
  return summary.kind === "benchmark" ? 0 : summary.epochs_done;
}
