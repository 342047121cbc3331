/** The pages' questions to the cost model: prices, sensitivities, fits, worked examples. Nothing here changes by itself. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { jobKey, planKey } from "./keys";
import type { Example, ExampleQuestion, PlanQuestion, SensitivityQuestion } from "../api/types";

const LASTS = { staleTime: Infinity, placeholderData: keepPreviousData, retry: false } as const;

/** Prices; the last ones stay until the next have come, so that nothing moves. */
export function planQuery(question: PlanQuestion) {
  return queryOptions({
    ...LASTS,
    queryKey: planKey("prices", question),
    queryFn: async () => unwrap(await api.POST("/api/v1/plan", { body: question })),
  });
}

export function sensitivityQuery(question: SensitivityQuestion) {
  return queryOptions({
    ...LASTS,
    queryKey: planKey("sensitivity", question),
    queryFn: async () => unwrap(await api.POST("/api/v1/plan/sensitivity", { body: question })),
  });
}

/** The cost model's parameters from the rows of a job; asked for again when the page is reopened, as rows may come. */
export function fitQuery(jobId: number) {
  return queryOptions({
    queryKey: jobKey(jobId, "fit"),
    retry: false,
    queryFn: async () => unwrap(await api.GET("/api/v1/jobs/{job_id}/fit", { params: { path: { job_id: jobId } } })),
  });
}

export function exampleQuery(question: ExampleQuestion) {
  return queryOptions({
    ...LASTS,
    queryKey: planKey("example", question),
    // The client's types lose that a chunk is a pair.
    queryFn: async () => unwrap(await api.POST("/api/v1/trace", { body: question })) as Example,
  });
}

/** Chrome trace events, for ui.perfetto.dev. */
export async function perfettoOf(question: ExampleQuestion): Promise<string> {
  return JSON.stringify(unwrap(await api.POST("/api/v1/trace/perfetto", { body: question })));
}
