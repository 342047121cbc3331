/** What was wrong while the job ran: what disturbed it, and the problems that were found, folded into one line. */
import { Suspense, useState } from "react";
import { lazyPart } from "../../../components/lazyPart";
import type { InsightView, JobView } from "../../../api/types";
import { formatDateTime, plural } from "../../../lib/format";
import { INSIGHTS, lastedWords } from "../../../lib/insight";
import { disturbance, isTerminal } from "../../../lib/state";
import folds from "../Folds.module.css";
import classes from "./Insights.module.css";

const NotChecked = lazyPart(async () => (await import("./Evidence")).NotChecked);
const More = lazyPart(async () => (await import("./Evidence")).More);

export function Insights({ job: { insights, ...job } }: { job: JobView }) {
  // Insights that exist when the page opens are unfolded; later ones stay folded, so that nothing moves.
  const [isOpen, setOpen] = useState(insights.length > 0);
  const newest = insights.findLast(({ until }) => until === null) ?? insights.at(-1);
  const isDone = job.state === "succeeded";
  const disturbedBy = isDone ? disturbance(job) : "";
  return (
    <section className={`${folds.fold} ${classes.insights}`} aria-label="Insights">
      {(disturbedBy || !newest) && (
        <p>
          {isDone && <strong>Problems: </strong>}
          {newest ? disturbedBy : withoutInsight(job, disturbedBy)}
        </p>
      )}
      {newest && (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            {isOpen ? plural(insights.length, "insight") : <Preview insight={newest} others={insights.length - 1} />}
          </summary>
          <ul className={classes.list}>
            {insights.map((insight) => (
              <Insight key={insight.id} jobId={job.id} insight={insight} />
            ))}
          </ul>
        </details>
      )}
      <Suspense>{isTerminal(job.state) && job.started_at !== null && <NotChecked jobId={job.id} until={newest?.until ?? null} />}</Suspense>
    </section>
  );
}

/** A job that ended badly says so itself; that no check found a problem would contradict it. */
function withoutInsight(job: Pick<JobView, "kind" | "state" | "started_at">, disturbedBy: string): string {
  if (job.started_at === null) return isTerminal(job.state) ? "The job never ran, so nothing was checked." : "Checks begin when the job runs.";
  if (!isTerminal(job.state)) return "The checks have found no problem so far.";
  if (job.state !== "succeeded") return "No check found a cause.";
  if (disturbedBy) return `${disturbedBy} No others.`;
  return job.kind === "diagnosis" ? "No other was found." : "None was found.";
}

function Preview({ insight, others }: { insight: InsightView; others: number }) {
  return (
    <>
      <Title insight={insight} /> {others > 0 && <span className="dim">and {others} more: </span>}
      {insight.message}
    </>
  );
}

function Title({ insight }: { insight: InsightView }) {
  return (
    <>
      <strong className={insight.until === null ? classes.active : ""}>{INSIGHTS[insight.kind]}</strong>{" "}
      <time className="dim" dateTime={insight.since} title={formatDateTime(insight.since)}>
        {lastedWords(insight)}
      </time>
    </>
  );
}

function Insight({ jobId, insight }: { jobId: number; insight: InsightView }) {
  return (
    <li>
      <p>
        <Title insight={insight} />
      </p>
      <p>{insight.message}</p>
      <Suspense>
        <More jobId={jobId} insight={insight} />
      </Suspense>
    </li>
  );
}
