import { useMutation, useQueryClient } from "@tanstack/react-query";
import { nodeEventsQuery, nodesQuery, seenNow } from "../../data/nodes";
import type { NodeView } from "../../api/types";

/** A change of a node by the user; the answer is shown at once. */
export function useNodeChange<T = void>(change: (argument: T) => Promise<NodeView>, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (node) => {
      client.setQueryData(nodesQuery.queryKey, (nodes) => nodes?.map((item) => (item.id === node.id ? seenNow(node) : item)));
      onDone();
      await client.invalidateQueries({ queryKey: nodeEventsQuery(node.name).queryKey });
    },
  });
}
