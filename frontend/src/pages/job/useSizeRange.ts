import { useQuery } from "@tanstack/react-query";
import type { JobView } from "../../api/types";
import { verdictQuery, type SizeRange } from "../../data/results";
import { isBenchmark } from "../../lib/state";
import { useView } from "./useView";

/** The part of the sizes that the page speaks about, as the URL has it; null for all of them. */
export function useSizeRange(): SizeRange | null {
  const [{ min_bytes: min, max_bytes: max }] = useView();
  if (min === undefined && max === undefined) return null;
  const ends = [min === undefined ? 0 : Number(min), max === undefined ? Infinity : Number(max)] as const;
  if (ends[0] > ends[1]) return null;
  return { ...(min !== undefined && { min_bytes: ends[0] }), ...(max !== undefined && { max_bytes: ends[1] }) };
}

/** The verdict on these sizes; without data for all sizes, and for a job that has no verdict. */
export function useRangeVerdict(job: JobView) {
  const range = useSizeRange();
  const isAsked = range !== null && isBenchmark(job) && job.state === "succeeded";
  const query = useQuery({ ...verdictQuery(job.id, range ?? {}), enabled: isAsked });
  return { query, data: isAsked ? query.data : undefined };
}
