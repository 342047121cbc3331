import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, ApiError, randomKey, unwrap } from "../../api/client";
import type { LinkView, NodeView } from "../../api/types";
import { buttonsClass, Dialog } from "../../components/controls/Dialog";
import { ErrorNote } from "../../components/states/ErrorNote";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { plural } from "../../lib/format";
import pageCommands from "../../lib/pageCommands.json";
import { MOST_PAIRS, type Pair, pairSpec, pairsOf, usableNodes } from "./pairs";
import classes from "./NodesPage.module.css";

interface Props {
  nodes: readonly NodeView[];
  links: readonly LinkView[];
  /** The links of this node alone. */
  only?: string | undefined;
  onSubmitted: (jobs: readonly number[]) => void;
}

/** Submits a sendrecv for each pair of nodes, after it has said how many these are. */
export function MeasureLinks({ nodes, links, only, onSubmitted }: Props) {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <>
      <Button style={{ justifySelf: "start" }} onClick={() => setAsking(true)}>
        {only ? "Measure its links …" : "Measure all links …"}
      </Button>
      <Dialog title={only ? `Measure the links of ${only}?` : "Measure all links?"} isOpen={isAsking} onClose={close}>
        <Question
          pairs={pairsOf(nodes, links, only)}
          leftOut={nodes.length - usableNodes(nodes).length}
          onClose={close}
          onSubmitted={(jobs) => {
            onSubmitted(jobs);
            close();
          }}
        />
      </Dialog>
    </>
  );
}

interface QuestionProps {
  pairs: readonly Pair[];
  leftOut: number;
  onClose: () => void;
  onSubmitted: (jobs: readonly number[]) => void;
}

function Question({ pairs, leftOut, onClose, onSubmitted }: QuestionProps) {
  // What was submitted while the dialog is open, so that pressing again after an error makes no job twice.
  const sent = useRef(new Map<string, Sent>());
  const measure = useMutation({
    mutationFn: () => submitAll(pairs, sent.current),
    onSuccess: onSubmitted,
  });
  return (
    <div className={classes.form}>
      <p>{sentence(pairs.length, leftOut)}</p>
      {pairs.length > 0 && (
        <details className={classes.terminal}>
          <summary>In a terminal</summary>
          <p className="dim">
            This command measures one pair. To choose it, add <code>--node A --node B</code> with the names of the two nodes.
          </p>
          <ServerCommand text={pageCommands.link} />
        </details>
      )}
      {measure.error && <ErrorNote what="Not all jobs were submitted" error={measure.error} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Cancel</Button>
        {pairs.length > 0 && (
          <Button variant="filled" aria-busy={measure.isPending} onClick={() => !measure.isPending && measure.mutate()}>
            Measure {plural(pairs.length, "link")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** What a press does, or why it can do nothing. */
export function sentence(pairs: number, leftOut: number): string {
  const without = leftOut > 0 ? ` ${plural(leftOut, "node")} that ${leftOut === 1 ? "is" : "are"} drained, lost or unable to run benchmarks ${leftOut === 1 ? "is" : "are"} left out.` : "";
  if (pairs === 0) return `A link needs two nodes that are ready and have different addresses, and there are fewer.${without}`;
  const most = pairs === MOST_PAIRS ? " There may be more pairs: those that were never measured come first." : "";
  return `This submits ${plural(pairs, "job")}, a sendrecv of 1 MiB to 64 MiB for each pair of nodes. A job waits until nothing else runs on its two nodes.${most}${without}`;
}

interface Sent {
  /** Its idempotency key. */
  key: string;
  /** Undefined: the server has not confirmed it. */
  job?: number;
}

/** Submits what is not submitted yet, and returns the numbers of all. Its error says how far it came. */
async function submitAll(pairs: readonly Pair[], sent: Map<string, Sent>): Promise<number[]> {
  const done = (): number[] => [...sent.values()].flatMap(({ job }) => job ?? []);
  try {
    for (const pair of pairs) await submit(pair, sent);
  } catch (error) {
    throw new Error(`${done().length} of ${pairs.length} are in the queue. ${wordsOf(error as Error)}`, { cause: error });
  }
  return done();
}

async function submit(pair: Pair, sent: Map<string, Sent>): Promise<void> {
  const name = pair.join("\n");
  const { key, job } = sent.get(name) ?? { key: randomKey() };
  if (job !== undefined) return;
  sent.set(name, { key });
  const answer = await api.POST("/api/v1/jobs", { params: { header: { "idempotency-key": key } }, body: pairSpec(pair) });
  sent.set(name, { key, job: unwrap(answer).id });
}

/** With the server's sentences on the fields, as no field of the page belongs to them. */
function wordsOf(error: Error): string {
  const details = error instanceof ApiError ? error.fields.map(({ detail }) => detail) : [];
  return details.join(" ") || error.message;
}
