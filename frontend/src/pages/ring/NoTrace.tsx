import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { engineQuery } from "../../data/server";
import type { JobView } from "../../api/types";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { EmptyState } from "../../components/states/EmptyState";
import { submitCommand } from "../../lib/command";
import { isBenchmark } from "../../lib/state";
import { tracedSpec, whyNoTrace } from "./tracedJob";

/** A job without a traced operation: why, and the command that makes a job with one. */
export function NoTrace({ job }: { job: JobView }) {
  const engine = useQuery(engineQuery);
  const { title, sentence, comes } = whyNoTrace(job);
  return (
    <div className="card">
      <EmptyState title={title}>
        <p role={comes ? "status" : undefined}>
          {comes && <span aria-hidden="true">◌ </span>}
          {sentence}
        </p>
        {!comes && !engine.isPending && <ServerCommand text={commandOf(job, engine.data?.collectives ?? {})} />}
        <p>
          Without a job, the <Link to="/ring">worked example</Link> shows any collective on given numbers.
        </p>
      </EmptyState>
    </div>
  );
}

function commandOf(job: JobView, collectives: Readonly<Record<string, { simulated: readonly string[] }>>): string {
  if (!isBenchmark(job)) return `ringscope submit --ranks ${job.ranks} --algorithm ring --trace`;
  const { collective, algorithms } = job.spec.benchmark;
  return submitCommand(tracedSpec(job.spec, collectives[collective]?.simulated ?? algorithms));
}
