import type { JobView } from "../../api/types";
import { useJobs } from "./useJobs";
import { useStored } from "./useStored";

/** So many jobs can be pinned: more would push the list itself off the page. */
export const MOST_PINNED = 5;

interface Marks {
  pinned: readonly number[];
  baseline: number | null;
}

const NONE: Marks = { pinned: [], baseline: null };

/** Which jobs are pinned, and the one that differences are to; kept in this browser. */
export function useMarks(): readonly [Marks, (marks: Marks) => void] {
  return useStored("ringscope-marked-jobs", NONE);
}

/** The pinned ones as jobs, and the baseline before them; those that are gone are left out. */
export function useMarkedJobs(baseline: number | null): { pinned: readonly JobView[]; baseline: JobView | undefined } {
  const [{ pinned }] = useMarks();
  const ids = [...new Set([...(baseline === null ? [] : [baseline]), ...pinned])];
  const { jobs } = useJobs(ids);
  return { pinned: jobs, baseline: jobs.find((job) => job.id === baseline) };
}
