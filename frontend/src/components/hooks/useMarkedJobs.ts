import type { JobView } from "../../api/types";
import { useJobs } from "./useJobs";
import { useMarks } from "./useMarks";

/** The pinned jobs, and the base job before them; jobs that no longer exist are left out. */
export function useMarkedJobs(base: number | null): { pinned: readonly JobView[]; baseJob: JobView | undefined } {
  const [{ pinned }] = useMarks();
  const ids = [...new Set([...(base === null ? [] : [base]), ...pinned])];
  const { jobs } = useJobs(ids);
  return { pinned: jobs, baseJob: jobs.find((job) => job.id === base) };
}
