import { skipToken, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { comparisonQuery } from "../../../data/comparison";
import { expectationsQuery } from "../../../data/results";
import type { BenchmarkJob, Comparison, Expectations } from "../../../api/types";
import type { Beside } from "../../../lib/search/search";
import { useMarks } from "../../../components/hooks/useMarks";
import { useBase } from "../useBase";
import { useView } from "../useView";

export interface BesideMeasured {
  /** Which of them the chart shows. */
  shown: Beside;
  /** Those that there are; empty where there is nothing to choose. */
  choices: readonly (readonly [Beside, string])[];
  choose: (next: Beside) => void;
  expectations: UseQueryResult<Expectations>;
  /** The job beside its baseline, once that is shown. */
  compared: UseQueryResult<Comparison>;
}

/** What the measured rows can be held against: the model, earlier runs, another job as the baseline. */
export function useBeside(job: BenchmarkJob): BesideMeasured {
  const [search, set] = useView();
  const [{ baseline }] = useMarks();
  const named = useBase();
  const base = named === job.id ? null : named;
  const expectations = useQuery(expectationsQuery(job.id, job.attempts.length));
  const asked = search.beside ?? "model";
  const shown = asked === "baseline" && base === null ? "model" : asked;
  const comparison = comparisonQuery([base ?? 0, job.id], base ?? 0, job.progress.done);
  const compared = useQuery({ ...comparison, ...(shown !== "baseline" && { queryFn: skipToken }) });
  const { data } = expectations;
  const isForeseen = data?.model != null || (data?.usual.length ?? 0) > 0;
  const choices = [
    ...(isForeseen ? ([["model", "model"], ["usual", "usual"]] as const) : []),
    ...(base !== null ? ([["baseline", `${base === baseline ? "★ " : ""}job ${base}`]] as const) : []),
  ];
  const choose = (next: Beside): void =>
    set({ beside: next === "model" ? undefined : next, base: next === "baseline" && base !== null ? String(base) : undefined });
  return { shown, choices: choices.length > 0 ? [...choices, ["nothing", "nothing"]] : [], choose, expectations, compared };
}
