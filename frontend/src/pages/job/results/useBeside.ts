import { skipToken, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { comparisonQuery } from "../../../data/comparison";
import { jobPredictionQuery } from "../../../data/results";
import type { BenchmarkJob, Comparison, JobPrediction } from "../../../api/types";
import type { Beside } from "../../../lib/search/search";
import { useMarks } from "../../../components/hooks/useMarks";
import { useBase } from "../useBase";
import { useView } from "../useView";

export interface BesideMeasured {
  /** The reference that the chart shows. */
  shown: Beside;
  /** The available references; empty if there is nothing to choose. */
  choices: readonly (readonly [Beside, string])[];
  choose: (next: Beside) => void;
  prediction: UseQueryResult<JobPrediction>;
  /** The comparison with the base job, once that is shown. */
  compared: UseQueryResult<Comparison>;
}

/** The references for the measured rows: the model, the baseline from earlier runs, or the base job. */
export function useBeside(job: BenchmarkJob): BesideMeasured {
  const [search, set] = useView();
  const [{ base: marked }] = useMarks();
  const named = useBase();
  const base = named === job.id ? null : named;
  const prediction = useQuery(jobPredictionQuery(job.id, job.attempts.length));
  // Default parameters may be far from this machine: then the model is drawn only on request.
  const usual: Beside = prediction.data?.model?.median_error != null ? "model" : "nothing";
  const asked = search.beside ?? usual;
  const shown = asked === "base" && base === null ? usual : asked;
  const comparison = comparisonQuery([base ?? 0, job.id], base ?? 0, job.progress.done);
  const compared = useQuery({ ...comparison, ...(shown !== "base" && { queryFn: skipToken }) });
  const { data } = prediction;
  const isKnown = data?.model != null || (data?.baseline.length ?? 0) > 0;
  const choices = [
    ...(isKnown ? ([["model", "model"], ["baseline", "baseline"]] as const) : []),
    ...(base !== null ? ([["base", `${base === marked ? "★ " : ""}job ${base}`]] as const) : []),
  ];
  const choose = (next: Beside): void =>
    set({ beside: next === usual ? undefined : next, base: next === "base" && base !== null ? String(base) : undefined });
  return { shown, choices: choices.length > 0 ? [...choices, ["nothing", "nothing"]] : [], choose, prediction, compared };
}
