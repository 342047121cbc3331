import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../../data/server";

/** The command that runs ringscope in a terminal on this machine; null if the server does not know it, undefined until it answers. */
export function useProgram(): string | null | undefined {
  return useQuery(meQuery).data?.command;
}
