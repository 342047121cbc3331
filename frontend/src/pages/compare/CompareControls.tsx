import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { JobView } from "../../api/types";
import { Caveats } from "../../components/marks/Caveats";
import { passesFocus } from "../../components/hooks/keepFocus";
import { LineSwatch } from "../../components/marks/LineSwatch";
import { Segments } from "../../components/controls/Segments";
import { StateBadge } from "../../components/marks/StateBadge";
import { lineOf } from "../../lib/sweep/compare";
import type { CompareSearch } from "../../lib/search/search";
import { JOB_STATES, jobName } from "../../lib/state";
import classes from "./ComparePage.module.css";

const route = getRouteApi("/compare");

interface Props {
  jobs: readonly JobView[];
  base: number;
  /** Further choices. */
  children: ReactNode;
}

/** Changes the URL; an undefined value is removed from it. */
export function useCompareSearch(): readonly [CompareSearch, (change: Partial<Record<keyof CompareSearch, string | undefined>>) => void] {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return [
    search,
    (change) => void navigate({ search: (old) => ({ ...old, ...change }) as CompareSearch, replace: true, resetScroll: false }),
  ];
}

/** The choice of the compared jobs, of the base job, and of further options. */
export function CompareControls({ jobs, base, children }: Props) {
  const [, set] = useCompareSearch();
  const ids = jobs.map((job) => job.id);
  return (
    <section className="card" aria-label="Jobs that are compared">
      <ul className={classes.jobs}>
        {jobs.map((job) => (
          <li key={job.id}>
            <LineSwatch line={lineOf(job.id, ids)} />
            <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
              job {job.id}
            </Link>
            <span className={classes.title}>{jobName(job)}</span>
            <Caveats job={job} />
            <StateBadge look={JOB_STATES[job.state]} />
            {jobs.length > 1 && (
              <Link
                ref={passesFocus}
                to="/compare"
                search={(old) => ({ ...old, ids: ids.filter((id) => id !== job.id).join(",") })}
                className={classes.remove}
                aria-label={`Leave out job ${job.id}`}
              >
                ✕
              </Link>
            )}
          </li>
        ))}
      </ul>
      <div className={classes.controls}>
        <Choice label="Base job">
          <Segments
            label="Base job"
            value={String(base)}
            options={ids.map((id) => [String(id), `job ${id}`] as const)}
            onChange={(id) => set({ base: id })}
          />
        </Choice>
        {children}
      </div>
    </section>
  );
}

/** A choice with its name beside it. */
export function Choice({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.choice}>
      <span className="dim" aria-hidden="true">
        {label}
      </span>
      {children}
    </div>
  );
}
