import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { tracesQuery } from "../../data/traces";
import type { JobView, TracedOperation } from "../../api/types";
import { isTerminal } from "../../lib/state";

/** The operations of the job that were followed; only a job that asked for a trace is asked for them. */
export function useTraces(job: JobView): UseQueryResult<TracedOperation[]> {
  return useQuery({ ...tracesQuery(job.id, isTerminal(job.state)), enabled: asksForTraces(job) });
}

/** Whether operations of the job are followed at all. */
export function asksForTraces(job: JobView): boolean {
  return job.spec.benchmark?.trace === true;
}
