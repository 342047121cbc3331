import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../../data/server";

/** What runs as ringscope in a terminal beside this browser; null where the server does not know, undefined until it tells. */
export function useProgram(): string | null | undefined {
  return useQuery(meQuery).data?.command;
}
