import { Link } from "@tanstack/react-router";
import { type FocusEvent, useState } from "react";
import type { JobView } from "../../api/types";
import { JobsTable } from "../../components/jobs/JobsTable";
import { NoJobs } from "../../components/states/NoJobs";
import { plural } from "../../lib/format";
import { JobBars } from "./JobBars";

const LATEST = 12;

interface Props {
  jobs: readonly JobView[];
  active: readonly JobView[];
}

/** The newest jobs, and the running ones, which may be older: as bars by age, then as a table with the running ones first. */
export function RecentJobs({ jobs, active }: Props) {
  const running = active.slice(0, LATEST);
  const others = jobs.filter((job) => !running.some(({ id }) => id === job.id));
  const rows = [...running, ...others].slice(0, LATEST);
  const { shown, waiting, holding } = useHeld({ bars: [...rows].sort((a, b) => b.id - a.id), rows });
  return (
    <section className="card" aria-labelledby="recent">
      <div className="card-head">
        <h2 id="recent">{shown.rows.length > 1 ? `Last ${plural(shown.rows.length, "job")}` : "Jobs"}</h2>
        <p className="dim" role="status">
          {waiting > 0 && `${plural(waiting, "new job")}, shown when you leave the list`}
        </p>
        <Link to="/jobs" className="spread">
          All jobs
        </Link>
      </div>
      {rows.length > 0 ? (
        <div {...holding}>
          <JobBars jobs={shown.bars} />
          <JobsTable jobs={shown.rows} />
        </div>
      ) : (
        <NoJobs />
      )}
    </section>
  );
}

interface Places {
  bars: readonly JobView[];
  rows: readonly JobView[];
}

/** Jobs keep their positions while the pointer or the focus is in the list; their contents still change. */
function useHeld(now: Places) {
  const [held, setHeld] = useState<Places | null>(null);
  const [isPointedAt, setPointedAt] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  const hold = (isHeld: boolean): void => setHeld((before) => (isHeld ? (before ?? now) : null));
  const known = new Map([...now.bars, ...now.rows].map((job) => [job.id, job]));
  const inPlace = (jobs: readonly JobView[]): JobView[] => jobs.map((job) => known.get(job.id) ?? job);
  const holding = {
    onPointerEnter: () => {
      setPointedAt(true);
      hold(true);
    },
    onPointerLeave: () => {
      setPointedAt(false);
      hold(hasFocus);
    },
    onFocus: () => {
      setFocus(true);
      hold(true);
    },
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (currentTarget.contains(relatedTarget)) return;
      setFocus(false);
      hold(isPointedAt);
    },
  };
  return {
    shown: held ? { bars: inPlace(held.bars), rows: inPlace(held.rows) } : now,
    waiting: held ? now.bars.filter((job) => !held.bars.some(({ id }) => id === job.id)).length : 0,
    holding,
  };
}
