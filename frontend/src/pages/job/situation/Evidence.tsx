/** The evidence for a job's insights, and the checks that could not be done. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { InsightView } from "../../../api/types";
import DiagnoseJob from "../../../components/DiagnoseJob";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { insightsQuery } from "../../../data/job";
import { plural } from "../../../lib/format";
import { INSIGHTS, ranksWords, stacksOf } from "../../../lib/insight";
import classes from "./Insights.module.css";

/** Which checks could not be done and why: without them "nothing was found wrong" would say too much. */
export function NotChecked({ jobId, until }: { jobId: number; until: string | null }) {
  const found = useQuery(insightsQuery(jobId, until));
  const unchecked = found.data?.checks.filter((check) => !check.is_checked) ?? [];
  if (unchecked.length === 0) return null;
  return (
    <details>
      <summary className="dim">{plural(unchecked.length, "check")} not done</summary>
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

/** Insights that a diagnosis of the nodes can explain. */
const OF_LINKS: readonly InsightView["kind"][] = ["low_bandwidth", "slow_link"];

/** What an insight offers beyond its sentence. */
export function More({ jobId, insight }: { jobId: number; insight: InsightView }) {
  if (insight.kind === "hang") return <Stacks jobId={jobId} insight={insight} />;
  return OF_LINKS.includes(insight.kind) ? <DiagnoseJob jobId={jobId} /> : null;
}

/** Loaded once they are opened: they are long. */
function Stacks({ jobId, insight }: { jobId: number; insight: InsightView }) {
  const [isOpen, setOpen] = useState(false);
  const details = useQuery({ ...insightsQuery(jobId, insight.until), enabled: isOpen });
  const stacks = stacksOf(details.data?.items.find(({ id }) => id === insight.id));
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="dim">What the ranks were doing</summary>
      {details.error && <ErrorNote what="The evidence could not be loaded" error={details.error} />}
      {details.data && stacks.length === 0 && <p className="dim">No rank has reported yet.</p>}
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
