import { useQuery } from "@tanstack/react-query";
import type { Blame } from "../../api/types";
import { clusterQuery } from "../../data/nodes";
import { blamesOf } from "../../lib/nodes";

/** What diagnoses blame, by node. */
export function useBlames(): ReadonlyMap<string, Blame> {
  const { data } = useQuery(clusterQuery);
  return blamesOf(data?.blamed ?? []);
}
