/** What was found wrong with the job while it ran, folded into one line; in it the ranks' stacks, folded again. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { insightsQuery } from "../../data/job";
import type { InsightView, JobView } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { formatDateTime, plural } from "../../lib/format";
import { INSIGHTS, lastedWords, ranksWords, stacksOf } from "../../lib/insight";
import { isTerminal } from "../../lib/state";
import folds from "./Folds.module.css";
import classes from "./Insights.module.css";

export function Insights({ job: { insights, ...job } }: { job: JobView }) {
  // What is known when somebody comes lies open; what comes while somebody looks on pushes nothing away.
  const [isOpen, setOpen] = useState(insights.length > 0);
  const told = insights.findLast(({ until }) => until === null) ?? insights.at(-1);
  return (
    <section className={folds.fold} aria-label="Insights">
      {told ? (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            {isOpen ? plural(insights.length, "insight") : <Preview insight={told} others={insights.length - 1} />}
          </summary>
          <ul className={classes.list}>
            {insights.map((insight) => (
              <Insight key={insight.id} jobId={job.id} insight={insight} />
            ))}
          </ul>
        </details>
      ) : (
        <p className="dim">{isTerminal(job.state) ? "No insight: nothing was found wrong while it ran" : "No insight: nothing was found wrong so far"}</p>
      )}
      {isTerminal(job.state) && <NotChecked jobId={job.id} until={told?.until ?? null} />}
    </section>
  );
}

/** Which checks could not be done and why: without them "nothing was found wrong" would say too much. */
function NotChecked({ jobId, until }: { jobId: number; until: string | null }) {
  const found = useQuery(insightsQuery(jobId, until));
  const unchecked = found.data?.checks.filter((check) => !check.is_checked) ?? [];
  if (unchecked.length === 0) return null;
  return (
    <details>
      <summary className="dim">{plural(unchecked.length, "check")} could not be done</summary>
      <ul className={classes.list}>
        {unchecked.map(({ check, sentence }) => (
          <li key={check}>
            <strong>{check === "all" ? "All" : INSIGHTS[check]}</strong> {sentence}
          </li>
        ))}
      </ul>
    </details>
  );
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
      {insight.kind === "hang" && <Stacks jobId={jobId} insight={insight} />}
    </li>
  );
}

/** Asked for once they are wanted: they are long. */
function Stacks({ jobId, insight }: { jobId: number; insight: InsightView }) {
  const [isOpen, setOpen] = useState(false);
  const details = useQuery({ ...insightsQuery(jobId, insight.until), enabled: isOpen });
  const stacks = stacksOf(details.data?.items.find(({ id }) => id === insight.id));
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
