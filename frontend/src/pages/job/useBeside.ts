import { skipToken, useQuery } from "@tanstack/react-query";
import { comparisonQuery } from "../../data/comparison";
import { expectationsQuery } from "../../data/results";
import type { BenchmarkJob, Comparison, Expectations } from "../../api/types";
import type { Beside } from "../../lib/search";
import { useMarks } from "../../components/useMarks";
import { useView } from "./useView";

export interface BesideMeasured {
  /** Which of them the chart shows. */
  shown: Beside;
  /** Those that there are; empty where there is nothing to choose. */
  choices: readonly (readonly [Beside, string])[];
  expectations: Expectations | undefined;
  /** The job beside its baseline, once that is shown. */
  compared: Comparison | undefined;
}

/** What the measured rows can be held against: the model, earlier runs, the job that was made the baseline. */
export function useBeside(job: BenchmarkJob): BesideMeasured {
  const [search] = useView();
  const [{ baseline }] = useMarks();
  const base = baseline === job.id ? null : baseline;
  const expectations = useQuery(expectationsQuery(job.id, job.attempts.length)).data;
  const asked = search.beside ?? "model";
  const shown = asked === "baseline" && base === null ? "model" : asked;
  const comparison = comparisonQuery([base ?? 0, job.id], base ?? 0, job.progress.done);
  const compared = useQuery({ ...comparison, ...(shown !== "baseline" && { queryFn: skipToken }) }).data;
  const isForeseen = expectations?.model != null || (expectations?.usual.length ?? 0) > 0;
  const choices = [
    ...(isForeseen ? ([["model", "model"], ["usual", "usual"]] as const) : []),
    ...(base !== null ? ([["baseline", `★ job ${base}`]] as const) : []),
  ];
  return { shown, choices: choices.length > 0 ? [...choices, ["nothing", "nothing"]] : [], expectations, compared };
}
