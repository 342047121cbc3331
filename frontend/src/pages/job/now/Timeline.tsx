import type { EventView, JobView } from "../../../api/types";
import { formatClock, formatDateTime, formatDuration, plural } from "../../../lib/format";
import { isTerminal, JOB_STATES } from "../../../lib/state";
import { byAttempt, type Stage, stages, type TimelineItem, timelineItems } from "./timeline";
import classes from "./Timeline.module.css";

interface Props {
  job: JobView;
  /** undefined: they are loading, and room for them is reserved. */
  events: readonly EventView[] | undefined;
}

/**
 * The states of the job with their durations, and those still to come: each has its position from the start.
 * Those of earlier attempts are folded.
 */
export function Timeline({ job, events }: Props) {
  const all = byAttempt(stages(events ?? []));
  const [earlier, newest] = [all.slice(0, -1), all.at(-1) ?? []];
  const now = isTerminal(job.state) ? undefined : newest.at(-1);
  return (
    <>
      {earlier.length > 0 && (
        <details className={classes.earlier}>
          <summary className="dim">{plural(earlier.length, "earlier attempt")}</summary>
          {earlier.map((came, index) => (
            <ol key={index} className={classes.timeline} aria-label={`What happened in attempt ${index + 1}`}>
              {came.map((stage) => (
                <Item key={stage.id} item={{ state: stage.state, stage }} isNow={false} />
              ))}
            </ol>
          ))}
        </details>
      )}
      <ol className={classes.timeline} aria-label="What happened">
        {timelineItems(newest).map((item, index) => (
          <Item key={index} item={item} isNow={item.stage !== null && item.stage === now} />
        ))}
      </ol>
    </>
  );
}

function Item({ item: { state, stage }, isNow }: { item: TimelineItem; isNow: boolean }) {
  const look = state && JOB_STATES[state];
  if (stage && look) return <StageItem stage={stage} look={look} isNow={isNow} />;
  return (
    <li className={classes.stage} data-missing aria-hidden="true">
      <span className={classes.glyph} />
      <span className={classes.name}>{look?.text ?? "end"}</span>
    </li>
  );
}

function StageItem({ stage, look, isNow }: { stage: Stage; look: (typeof JOB_STATES)[Stage["state"]]; isNow: boolean }) {
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
