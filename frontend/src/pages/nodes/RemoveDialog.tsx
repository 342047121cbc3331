import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client";
import { nodesQuery } from "../../data/nodes";
import type { NodeView } from "../../api/types";
import { buttonsClass, DANGER, Dialog } from "../../components/controls/Dialog";
import { ErrorNote } from "../../components/states/ErrorNote";

interface Props {
  node: NodeView;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks for confirmation before a lost node is removed. */
export function RemoveDialog({ node, isOpen, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: async () => unwrap(await api.DELETE("/api/v1/nodes/{name}", { params: { path: { name: node.name } } })),
    onSuccess: async () => {
      await navigate({ to: "/nodes" });
      await client.invalidateQueries({ queryKey: nodesQuery.queryKey });
    },
  });
  return (
    <Dialog title={`Remove node ${node.name}?`} isOpen={isOpen} onClose={onClose}>
      <p>
        The node leaves every list and its token is revoked; its jobs keep its name. To come back, its agent needs a join
        token.
      </p>
      {remove.error && <ErrorNote what="The node was not removed" error={remove.error} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="filled" style={DANGER} onClick={() => remove.mutate()} aria-busy={remove.isPending}>
          Remove {node.name}
        </Button>
      </div>
    </Dialog>
  );
}
