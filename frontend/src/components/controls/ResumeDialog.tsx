import { Button } from "@mantine/core";
import { api, unwrap } from "../../api/client";
import type { NodeView } from "../../api/types";
import { buttonsClass, Dialog } from "./Dialog";
import { ErrorNote } from "../states/ErrorNote";
import { useNodeChange } from "../hooks/useNodeChange";

interface Props {
  node: NodeView;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks for confirmation before a node accepts work again. */
export function ResumeDialog({ node, isOpen, onClose }: Props) {
  const path = { name: node.name };
  const resume = useNodeChange(
    async (): Promise<NodeView> => unwrap(await api.POST("/api/v1/nodes/{name}/resume", { params: { path } })),
    onClose,
  );
  return (
    <Dialog title={`Resume node ${node.name}?`} isOpen={isOpen} onClose={onClose}>
      <p>
        Jobs that wait may start there at once.
        {node.desired === "drain" && ` ${node.desired_by ?? "A user"} drained it: ${node.desired_reason}.`} Its present
        hardware counts as complete.
      </p>
      {resume.error && <ErrorNote what="The node was not resumed" error={resume.error} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="filled" onClick={() => resume.mutate()} aria-busy={resume.isPending}>
          Resume {node.name}
        </Button>
      </div>
    </Dialog>
  );
}
