/** The question about the history of one link; it is loaded with its dialog. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client";

/** All measurements of the link between two nodes, newest first. */
export function linkHistoryQuery(first: string, second: string) {
  return queryOptions({
    queryKey: ["links", first, second],
    queryFn: async () => unwrap(await api.GET("/api/v1/links/{first}/{second}", { params: { path: { first, second } } })).items,
  });
}
