import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, randomKey, unwrap } from "../../../api/client";
import type { JobSpec, NodeView } from "../../../api/types";
import { Dialog } from "../../../components/controls/Dialog";
import { FormFoot } from "../../../components/controls/FormFoot";
import { SameRequest } from "../../../components/marks/SameRequest";
import { plural } from "../../../lib/format";
import { shellQuote } from "../../../lib/shell";
import classes from "../NodesPage.module.css";
import { pairsOf } from "../../../components/links/matrix";

interface Props {
  nodes: readonly NodeView[];
  onSubmitted: (job: number) => void;
}

/** Submits one job that measures every pair of nodes, after it has said how many these are. */
export function MeasureLinks({ nodes, onSubmitted }: Props) {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <>
      <Button style={{ justifySelf: "start" }} onClick={() => setAsking(true)}>
        Measure all links …
      </Button>
      <Dialog title="Measure all links?" isOpen={isAsking} onClose={close}>
        <Question
          nodes={nodes}
          onClose={close}
          onSubmitted={(job) => {
            onSubmitted(job);
            close();
          }}
        />
      </Dialog>
    </>
  );
}

function Question({ nodes, onClose, onSubmitted }: Props & { onClose: () => void }) {
  // A press after an error that hid the server's answer makes no second job.
  const key = useRef(randomKey());
  const names = measurable(nodes);
  const measure = useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/v1/jobs", { params: { header: { "idempotency-key": key.current } }, body: specOf(names) })).id,
    onSuccess: onSubmitted,
  });
  const command = `ringscope links --nodes ${shellQuote(names.join(","))}`;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (names.length < 2) onClose();
        else if (!measure.isPending) measure.mutate();
      }}
    >
      <p>{sentence(names.length, nodes.length - names.length)}</p>
      <FormFoot
        submit={names.length < 2 ? "Close" : `Measure ${plural(pairsOf(names.length), "link")}`}
        isSending={measure.isPending}
        failed="The job was not submitted"
        error={measure.error}
        onCancel={onClose}
        same={names.length > 1 && <SameRequest command={command} />}
      />
    </form>
  );
}

/** The nodes that can run the job together now: of those with one address the first. */
export function measurable(nodes: readonly NodeView[]): string[] {
  const seen = new Set<string>();
  return nodes.flatMap(({ name, observed, desired, slots_total: slots, inventory, address }) => {
    const machine = `${inventory.only_here ? inventory.hostname : ""}\n${address}`;
    const isAble = observed !== "lost" && desired === "active" && slots > 0 && !inventory.lacks.some(({ kinds }) => kinds.includes("benchmark"));
    if (!isAble || (address !== "" && seen.has(machine))) return [];
    seen.add(machine);
    return [name];
  });
}

/** What a press does, or why it can do nothing. */
export function sentence(count: number, leftOut: number): string {
  const without = leftOut > 0 ? ` ${plural(leftOut, "node")} that ${leftOut === 1 ? "is" : "are"} drained, lost, unable to run benchmarks or at the address of another node ${leftOut === 1 ? "is" : "are"} left out.` : "";
  if (count < 2) return `A link needs two nodes that are ready and have different addresses, and there are fewer.${without}`;
  const rounds = count % 2 === 0 ? count - 1 : count;
  return `This submits one job with one rank on each of ${count} nodes. It measures ${plural(pairsOf(count), "link")} in both directions, in ${plural(rounds, "round")}. It waits until nothing else runs on these nodes.${without}`;
}

export function specOf(names: readonly string[]): JobSpec {
  // The server completes what is left out.
  return { kind: "diagnosis", diagnosis: { measure: "links" }, placement: { node_names: names } } as unknown as JobSpec;
}
