import { Textarea, TextInput } from "@mantine/core";
import { type ChangeEvent, type FormEvent, useRef, useState } from "react";
import { api, unwrap } from "../../api/client";
import type { NodeView } from "../../api/types";
import { site } from "../../api/site";
import { FormFoot } from "./FormFoot";
import { SameRequest } from "../marks/SameRequest";
import { postCommand } from "../../lib/command";
import { shellQuote } from "../../lib/shell";
import { Dialog, formClass } from "./Dialog";
import { REQUIRED } from "./required";
import { jobsOn } from "../../lib/nodes";
import { useNodeChange } from "../hooks/useNodeChange";

interface Props {
  node: NodeView;
  /** The reason that the form proposes. */
  proposed?: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Asks for confirmation and a reason before a node stops accepting work, and states the consequences. */
export function DrainDialog({ node, proposed = "", isOpen, onClose }: Props) {
  return (
    <Dialog title={`Drain node ${node.name}?`} isOpen={isOpen} onClose={onClose}>
      <Form node={node} proposed={proposed} onClose={onClose} />
    </Dialog>
  );
}

function Form({ node, proposed, onClose }: Omit<Required<Props>, "isOpen">) {
  const [reason, setReason] = useState(proposed);
  const [isMissing, setMissing] = useState(false);
  const input = useRef<HTMLElement>(null);
  const path = { name: node.name };
  const drain = useNodeChange(
    async (): Promise<NodeView> => unwrap(await api.POST("/api/v1/nodes/{name}/drain", { params: { path }, body: { reason } })),
    onClose,
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setMissing(reason.trim() === "");
    if (reason.trim() === "") input.current?.focus();
    else drain.mutate();
  };
  const jobs = jobsOn(node);
  const field = {
    ref: (element: HTMLElement | null) => {
      input.current = element;
    },
    label: "Why",
    description: "Shown with the node",
    maxLength: 1000,
    ...REQUIRED,
    value: reason,
    error: isMissing ? "reason: give a reason for other users." : null,
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setReason(value.replaceAll("\n", " "));
      setMissing(false);
    },
  };
  return (
    <form className={formClass} onSubmit={submit}>
      <p>
        It gets no new work until it is resumed.{" "}
        {jobs.length > 0
          ? `Jobs that run there continue to their end: job ${jobs.join(", job ")}.`
          : "Nothing runs there now."}
      </p>
      {proposed ? <Textarea rows={4} {...field} /> : <TextInput placeholder="for example: new DIMM" {...field} />}
      <FormFoot
        submit={`Drain ${node.name}`}
        isSending={drain.isPending}
        failed="The node was not drained"
        error={drain.error}
        onCancel={onClose}
        same={reason.trim() && <SameRequest command={drainCommand(node.name, reason)} curl={postCommand(`/nodes/${encodeURIComponent(node.name)}/drain`, { reason }, site())} />}
      />
    </form>
  );
}

function drainCommand(name: string, reason: string): string {
  return `ringscope drain ${shellQuote(name)} --reason ${shellQuote(reason.trim())}`;
}
