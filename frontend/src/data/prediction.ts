/** The forms' questions about a job that is not submitted yet. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, ApiError, type FieldProblem, unwrap } from "../api/client";
import { draftKey } from "./keys";
import type { JobSpec, QueuePlan } from "../api/types";

/** Requests wait until the user stops typing. */
export const TYPING_MS = 250;

/** The duration and the result that are predicted for a benchmark. */
export function predictionQuery(spec: JobSpec) {
  return queryOptions({
    queryKey: draftKey("prediction", spec),
    queryFn: async () => unwrap(await api.POST("/api/v1/jobs/prediction", { body: spec })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The same for training. */
export function trainingPredictionQuery(spec: JobSpec) {
  return queryOptions({
    queryKey: draftKey("training prediction", spec),
    queryFn: async () => unwrap(await api.POST("/api/v1/jobs/prediction/training", { body: spec })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Which candidates of a strategy search could run on the current nodes. */
export function searchPreviewQuery(spec: JobSpec) {
  return queryOptions({
    queryKey: draftKey("search preview", spec),
    queryFn: async () => unwrap(await api.POST("/api/v1/jobs/prediction/strategy_search", { body: spec })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** What would happen to a job if it were submitted now: when it would start, or what is wrong with it. */
export interface JobCheck {
  plan: QueuePlan | null;
  problems: readonly FieldProblem[];
}

/** The check of a job before it is submitted; the last one stays until the next has come, so that no sentence flickers. */
export function jobCheckQuery(spec: JobSpec) {
  return queryOptions({
    queryKey: draftKey("check", spec),
    queryFn: async (): Promise<JobCheck> => {
      try {
        return { plan: unwrap(await api.POST("/api/v1/plan/queue", { body: spec })), problems: [] };
      } catch (error) {
        if (error instanceof ApiError) return { plan: null, problems: error.status === 422 ? error.fields : [] };
        throw error;
      }
    },
    placeholderData: keepPreviousData,
    retry: false,
  });
}
