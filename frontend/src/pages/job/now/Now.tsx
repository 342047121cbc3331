/** The current phase of each node, then the newest step of each rank, and finally the last ones, always in one place. */
import { type CSSProperties, Suspense, useState } from "react";
import { lazyPart } from "../../../components/lazyPart";
import type { JobView } from "../../../api/types";
import { Skeleton } from "../../../components/states/Skeleton";
import { isTerminal } from "../../../lib/state";
import { expectedRows, hasLastSteps } from "./stepRows";
import classes from "./Now.module.css";

// Few jobs fail, and most pages are opened after the job has ended.
const LastLines = lazyPart(async () => (await import("../log/LastLines")).LastLines);
const Steps = lazyPart(async () => (await import("./Steps")).Steps);

/**
 * Nothing for a job that succeeded, unless the page was open before it ended: then the content stays. The last lines of a
 * job that failed, and the last steps of training that did not get to its end.
 */
export function Now({ job }: { job: JobView }) {
  const [isWatched] = useState(!isTerminal(job.state));
  const hasLines = job.state === "failed" && job.attempts.length > 0;
  const titles = hasLines ? ["Last lines"] : [];
  if (hasLastSteps(job) || (isWatched && !hasLines)) titles.push(titleOf(job));
  return titles.map((title, i) => (
    <section
      key={i}
      className={`card ${classes.now}`}
      aria-label={title}
      data-watched={(i === 0 && isWatched) || undefined}
      style={{ "--rows": expectedRows(job) } as CSSProperties}
    >
      <Suspense fallback={<Skeleton rows={2} isBare />}>
        {i === 0 && hasLines ? <LastLines job={job} /> : <Steps job={job} title={title} />}
      </Suspense>
    </section>
  ));
}

function titleOf({ state }: JobView): string {
  if (state === "starting") return "Nodes now";
  return isTerminal(state) ? "Last steps" : "Steps now";
}
