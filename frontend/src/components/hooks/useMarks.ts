import { useStored } from "./useStored";

/** The most jobs that can be pinned: more would push the list itself off the page. */
export const MOST_PINNED = 5;

interface Marks {
  pinned: readonly number[];
  base: number | null;
}

const NONE: Marks = { pinned: [], base: null };

/** The pinned jobs and the base job; kept in this browser. */
export function useMarks(): readonly [Marks, (marks: Marks) => void] {
  const [{ pinned, base, baseline }, set] = useStored<Marks & { baseline?: number | null }>("ringscope-marked-jobs", NONE);
  // Browsers that last saw 0.1.0 have kept the base job as `baseline`.
  return [{ pinned, base: (base as number | null | undefined) === undefined ? (baseline ?? null) : base }, set];
}
