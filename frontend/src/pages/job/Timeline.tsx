import type { EventView, JobView } from "../../api/types";
import { formatClock, formatDateTime, formatDuration } from "../../lib/format";
import { isTerminal, JOB_STATES } from "../../lib/state";
import { type Stage, stages } from "../../lib/timeline";
import classes from "./Timeline.module.css";

interface Props {
  job: JobView;
  /** undefined: they are on their way, and their place is kept free. */
  events: readonly EventView[] | undefined;
}

/** The states that the job went through, and how long each took. */
export function Timeline({ job, events }: Props) {
  if (!events) return <div className={classes.place} aria-hidden="true" />;
  const items = stages(events);
  if (items.length === 0) return null;
  return (
    <ol className={classes.timeline} aria-label="What happened">
      {items.map((stage, index) => (
        <StageItem key={stage.id} stage={stage} isNow={index === items.length - 1 && !isTerminal(job.state)} />
      ))}
    </ol>
  );
}

function StageItem({ stage, isNow }: { stage: Stage; isNow: boolean }) {
  const look = JOB_STATES[stage.state];
  const who = stage.actor === "system" ? "" : ` by ${stage.actor}`;
  return (
    <li className={classes.stage} data-tone={look.tone} data-now={isNow || undefined} title={stage.message || undefined}>
      <span className={classes.glyph} aria-hidden="true">
        {look.glyph}
      </span>
      <span className={classes.name}>
        {look.text}
        {who && <span className="dim">{who}</span>}
      </span>
      <span className={classes.time}>
        <time dateTime={stage.time} title={formatDateTime(stage.time)}>
          {formatClock(Date.parse(stage.time))}
        </time>
        {stage.seconds !== null && <span> · {formatDuration(stage.seconds)}</span>}
      </span>
    </li>
  );
}
