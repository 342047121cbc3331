/** The questions about the links of very many nodes: of a job, or with null the newest of all. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client";
import { MOST_IN_MATRIX } from "./matrix";

/** While a job measures: the server reads all pairs for each answer. */
const MEASURING_MS = 10_000;

function ofJob(job: number | null): { job?: number } {
  return job === null ? {} : { job };
}

/** The links between each two racks in a few numbers. */
export function rackLinksQuery(job: number | null, isMeasuring: boolean) {
  return queryOptions({
    queryKey: ["rack-links", job, isMeasuring],
    queryFn: async () => unwrap(await api.GET("/api/v1/links/racks", { params: { query: ofJob(job) } })).items,
    refetchInterval: isMeasuring ? MEASURING_MS : false,
    placeholderData: keepPreviousData,
  });
}

/** Links between nodes of these racks, or with null of all; of more nodes than a matrix shows those with the slowest ones. */
export function slowestLinksQuery(job: number | null, racks: readonly string[] | null, isMeasuring: boolean) {
  const query = { ...ofJob(job), ...(racks && { rack: [...racks] }), slowest_nodes: MOST_IN_MATRIX };
  return queryOptions({
    queryKey: ["rack-links", job, isMeasuring, racks],
    queryFn: async () => unwrap(await api.GET("/api/v1/links", { params: { query } })).items,
    refetchInterval: isMeasuring ? MEASURING_MS : false,
  });
}
