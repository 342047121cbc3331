import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { api, unwrap } from "../../../api/client";
import type { JobState, JobView } from "../../../api/types";
import { useShortcut } from "../../../components/hooks/shortcuts";
import { useRole } from "../../../components/hooks/useRole";
import { jobQuery } from "../../../data/job";
import { newerJob } from "../../../data/merge";

type Verb = "hold" | "release";

const VERBS: Partial<Record<JobState, Verb>> = { queued: "hold", held: "release" };

interface Hold {
  /** What the user can do now; null: neither. */
  verb: Verb | null;
  run: () => void;
  isPending: boolean;
  error: Error | null;
}

/** Holds a waiting job, or releases it; also in the palette. */
export function useHold(job: JobView): Hold {
  const client = useQueryClient();
  const { mayChange } = useRole();
  const verb = (mayChange && VERBS[job.state]) || null;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (asked: Verb) => {
      const params = { path: { job_id: job.id } };
      return unwrap(
        asked === "hold"
          ? await api.POST("/api/v1/jobs/{job_id}/hold", { params })
          : await api.POST("/api/v1/jobs/{job_id}/release", { params }),
      );
    },
    onSuccess: (after: JobView) => {
      client.setQueryData<JobView>(jobQuery(job.id).queryKey, (before) => newerJob(before, after));
    },
  });
  const run = useCallback(() => {
    if (verb && !isPending) mutate(verb);
  }, [verb, isPending, mutate]);
  useShortcut("hold", verb === "hold" ? run : null);
  useShortcut("release", verb === "release" ? run : null);
  return { verb, run, isPending, error };
}
