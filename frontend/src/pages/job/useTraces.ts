import { useQuery } from "@tanstack/react-query";
import { tracesQuery } from "../../data/traces";
import type { JobView, TracedOperation } from "../../api/types";
import { isTerminal } from "../../lib/state";

const NONE: readonly TracedOperation[] = [];

/** The operations of the job that were followed; only a job that asked for a trace is asked for them. */
export function useTraces(job: JobView): readonly TracedOperation[] {
  const traces = useQuery({ ...tracesQuery(job.id, isTerminal(job.state)), enabled: job.spec.benchmark?.trace === true });
  return traces.data ?? NONE;
}
