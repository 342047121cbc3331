/** What was found wrong with the job while it ran: a line for each, the ranks' stacks folded. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { insightsQuery } from "../../data/job";
import type { InsightView, JobView } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { formatDateTime } from "../../lib/format";
import { INSIGHTS, lastedWords, ranksWords, stacksOf } from "../../lib/insight";
import classes from "./Insights.module.css";

export function Insights({ job }: { job: JobView }) {
  if (job.insights.length === 0) return null;
  return (
    <section className="card" aria-labelledby="insights">
      <div className="card-head">
        <h2 id="insights">Insights</h2>
      </div>
      <ul className={classes.list}>
        {job.insights.map((insight) => (
          <Insight key={insight.id} job={job} insight={insight} />
        ))}
      </ul>
    </section>
  );
}

function Insight({ job, insight }: { job: JobView; insight: InsightView }) {
  return (
    <li>
      <p>
        <strong className={insight.until === null ? classes.active : ""}>{INSIGHTS[insight.kind]}</strong>{" "}
        <time className="dim" dateTime={insight.since} title={formatDateTime(insight.since)}>
          {lastedWords(insight)}
        </time>
      </p>
      <p>{insight.message}</p>
      {insight.kind === "hang" && <Stacks jobId={job.id} insight={insight} />}
    </li>
  );
}

/** Asked for once they are wanted: they are long. */
function Stacks({ jobId, insight }: { jobId: number; insight: InsightView }) {
  const [isOpen, setOpen] = useState(false);
  const details = useQuery({ ...insightsQuery(jobId, insight.until), enabled: isOpen });
  const stacks = stacksOf(details.data?.find(({ id }) => id === insight.id));
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="dim">What the ranks were doing</summary>
      {details.error && <ErrorNote what="The evidence could not be loaded" error={details.error} />}
      {details.data && stacks.length === 0 && <p className="dim">No rank has told yet.</p>}
      {stacks.map((stack) => (
        <div key={ranksWords(stack)}>
          <p className="dim">
            {ranksWords(stack)}
            {stack.source && ` (by ${stack.source})`}
          </p>
          {/* A scrollable region must be reachable by keyboard. */}
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <pre className={classes.stack} tabIndex={0} aria-label={`Stack of ${ranksWords(stack)}`}>
            {stack.text}
          </pre>
        </div>
      ))}
    </details>
  );
}
