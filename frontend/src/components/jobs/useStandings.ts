import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { JobView, Standing } from "../../api/types";
import { standingsQuery } from "../../data/comparison";
import { blocksOf } from "../../lib/sweep/standing";
import { isBenchmark } from "../../lib/state";

/** The comparison of each succeeded job with the base job, by job number; empty without a base job. */
export function useStandings(jobs: readonly JobView[], base: JobView | undefined): ReadonlyMap<number, Standing> {
  const isAble = (job: JobView): boolean => isBenchmark(job) && job.state === "succeeded";
  const ids = base && isAble(base) ? jobs.filter((job) => isAble(job) && job.id !== base.id).map(({ id }) => id) : [];
  const found = useQueries({ queries: blocksOf(ids).map((block) => standingsQuery(block, base?.id ?? 0)), combine: joined });
  return useMemo(() => new Map(found.map((standing) => [standing.job_id, standing])), [found]);
}

// One function for every call, so that equal answers give the same list.
function joined(queries: UseQueryResult<Standing[]>[]): Standing[] {
  return queries.flatMap(({ data }) => data ?? []);
}
