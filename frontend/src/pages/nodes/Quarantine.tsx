import { Button } from "@mantine/core";
import { useState } from "react";
import { api, unwrap } from "../../api/client";
import type { NodeView } from "../../api/types";
import { buttonsClass, DANGER, Dialog } from "../../components/controls/Dialog";
import { ErrorNote } from "../../components/states/ErrorNote";
import classes from "./NodesPage.module.css";
import { useNodeChange } from "../../components/hooks/useNodeChange";

/** Slots that are not assigned to jobs, why, and for admins a way to release them after a check; nothing if there are none. */
export function Quarantine({ node, isAdmin }: { node: NodeView; isAdmin: boolean }) {
  const [asked, setAsked] = useState<number | null>(null);
  const slots = node.slots.filter((slot) => slot.quarantine !== null);
  if (slots.length === 0) return null;
  return (
    <>
      <ul className={classes.quarantined} aria-label="Quarantined slots">
        {slots.map((slot) => (
          <li key={slot.slot}>
            <span className={classes.skewed}>⚠ slot {slot.slot} is quarantined</span>
            <span>{slot.quarantine}</span>
            {isAdmin && <Button onClick={() => setAsked(slot.slot)}>Release slot {slot.slot} …</Button>}
          </li>
        ))}
      </ul>
      <Dialog title={`Release slot ${asked ?? ""} of ${node.name}?`} isOpen={asked !== null} onClose={() => setAsked(null)}>
        {asked !== null && <Release node={node} slot={asked} onClose={() => setAsked(null)} />}
      </Dialog>
    </>
  );
}

function Release({ node, slot, onClose }: { node: NodeView; slot: number; onClose: () => void }) {
  const path = { name: node.name, slot };
  const release = useNodeChange(
    async (): Promise<NodeView> => unwrap(await api.POST("/api/v1/nodes/{name}/slots/{slot}/release", { params: { path } })),
    onClose,
  );
  return (
    <>
      <p>
        The server could not prove that the last job&rsquo;s processes are gone. Check on {node.name} that no process of
        it is left; otherwise the next job shares the slot with it.
      </p>
      {release.error && <ErrorNote what="The slot was not released" error={release.error} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="filled" style={DANGER} onClick={() => release.mutate()} aria-busy={release.isPending}>
          No process is left: release it
        </Button>
      </div>
    </>
  );
}
