import { useQuery } from "@tanstack/react-query";
import { engineQuery } from "../../data/server";
import type { Collective, Engine } from "../../api/types";

/** The engine's description of a collective; undefined until it has answered. */
export function useCollective(name: Collective): Engine["collectives"][string] | undefined {
  return useQuery(engineQuery).data?.collectives[name];
}
