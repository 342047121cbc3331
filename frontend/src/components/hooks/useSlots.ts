import { useQuery } from "@tanstack/react-query";
import { nodesQuery } from "../../data/nodes";
import { type SlotUse, slotUse } from "../../lib/nodes";

/** How many slots there are and how many of them are busy and free; undefined until the nodes are known. */
export function useSlots(): SlotUse | undefined {
  const { data } = useQuery(nodesQuery);
  return data && slotUse(data);
}
