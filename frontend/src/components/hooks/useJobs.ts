import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { jobQuery } from "../../data/job";
import type { JobView } from "../../api/types";

interface Found {
  jobs: readonly JobView[];
  /** How many could not be loaded, because they no longer exist or the server cannot be reached. */
  missing: number;
}

/** Jobs by their numbers, in that order, as far as they are loaded. */
export function useJobs(ids: readonly number[]): Found {
  return useQueries({ queries: ids.map((id) => jobQuery(id)), combine: found });
}

// One function for every call, so that equal answers give the same list.
function found(queries: UseQueryResult<JobView>[]): Found {
  return {
    jobs: queries.flatMap(({ data }) => (data ? [data] : [])),
    missing: queries.filter(({ data, error }) => error && !data).length,
  };
}
