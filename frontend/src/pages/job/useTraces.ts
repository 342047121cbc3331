import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { tracesQuery } from "../../data/traces";
import type { JobView, TracedOperation } from "../../api/types";
import { isTerminal } from "../../lib/state";

/** The traced operations of the job; requested only if the job asked for a trace. */
export function useTraces(job: JobView): UseQueryResult<TracedOperation[]> {
  return useQuery({ ...tracesQuery(job.id, isTerminal(job.state)), enabled: asksForTraces(job) });
}

/** Whether operations of the job are traced at all. */
export function asksForTraces(job: JobView): boolean {
  return job.spec.benchmark?.trace === true;
}
