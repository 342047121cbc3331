/** The question about the history of one link; it is loaded with its dialog. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client";

/** All measurements of the link between two nodes as wholes, or of one rail of them, newest first. */
export function linkHistoryQuery(first: string, second: string, rail: number | null = null) {
  const query = rail === null ? {} : { rail };
  return queryOptions({
    queryKey: ["links", first, second, rail],
    queryFn: async () => unwrap(await api.GET("/api/v1/links/{first}/{second}", { params: { path: { first, second }, query } })),
  });
}
