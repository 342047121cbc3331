/** The current phase of each node, then the newest step of each rank, and finally the last ones, always in one place. */
import { type CSSProperties, Suspense, useState } from "react";
import { lazyPart } from "../../../components/lazyPart";
import type { JobView } from "../../../api/types";
import { Skeleton } from "../../../components/states/Skeleton";
import { isTerminal } from "../../../lib/state";
import { expectedRows } from "./stepRows";
import classes from "./Now.module.css";

// Few jobs fail, and most pages are opened after the job has ended.
const LastLines = lazyPart(async () => (await import("../log/LastLines")).LastLines);
const Steps = lazyPart(async () => (await import("./Steps")).Steps);

/** Nothing for a job that has ended, except the last lines if it failed; a page that was open before keeps its content. */
export function Now({ job }: { job: JobView }) {
  const [isWatched] = useState(!isTerminal(job.state));
  const hasLines = job.state === "failed" && job.attempts.length > 0;
  if (!isWatched && !hasLines) return null;
  const title = hasLines ? "Last lines" : titleOf(job);
  return (
    <section
      className={`card ${classes.now}`}
      aria-label={title}
      data-watched={isWatched || undefined}
      style={{ "--rows": expectedRows(job) } as CSSProperties}
    >
      <Suspense fallback={<Skeleton rows={2} isBare />}>
        {hasLines ? <LastLines job={job} /> : <Steps job={job} title={title} />}
      </Suspense>
    </section>
  );
}

function titleOf({ state }: JobView): string {
  if (state === "starting") return "Nodes now";
  return isTerminal(state) ? "Last steps" : "Steps now";
}
