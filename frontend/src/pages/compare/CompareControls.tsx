import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { JobView } from "../../api/types";
import { Caveats } from "../../components/marks/Caveats";
import { useMarks } from "../../components/hooks/useMarks";
import { passesFocus } from "../../components/hooks/keepFocus";
import { LineSwatch } from "../../components/marks/LineSwatch";
import { StateBadge } from "../../components/marks/StateBadge";
import { lineOf } from "../../lib/sweep/compare";
import { JUDGEMENTS } from "../../lib/judgement";
import type { CompareSearch } from "../../lib/search/search";
import { JOB_STATES, jobName } from "../../lib/state";
import classes from "./ComparePage.module.css";
import type { CopyText } from "../../components/controls/CopyButton";
import type { ComparedPart } from "./comparisonCommand";
import { CopyComparison } from "./CopyComparison";

const route = getRouteApi("/compare");

interface Props {
  jobs: readonly JobView[];
  base: number;
  part: ComparedPart;
  /** Formats in which the comparison can be copied, by name. */
  copies?: readonly (readonly [name: string, text: CopyText])[];
  /** What the comparison found, in sentences. */
  answer?: ReactNode;
  /** Further choices. */
  children?: ReactNode;
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

/** The answer, the compared jobs, of which one is the base job, and further choices. */
export function CompareControls({ jobs, base, part, copies = [], answer, children }: Props) {
  const [, set] = useCompareSearch();
  const [marks, setMarks] = useMarks();
  const ids = jobs.map((job) => job.id);
  const choose = (id: number): void => {
    set({ base: String(id) });
    // The list shows differences to the same job.
    if (marks.base === base) setMarks({ ...marks, base: id });
  };
  return (
    <section className="card" aria-label="Jobs that are compared">
      {answer}
      <ul className={classes.jobs}>
        {jobs.map((job) => (
          <li key={job.id}>
            <LineSwatch line={lineOf(job.id, ids)} />
            <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
              job {job.id}
            </Link>
            <span className={classes.title}>{jobName(job)}</span>
            <label className={job.id === base ? classes.nowrap : `dim ${classes.nowrap}`}>
              <input type="radio" name="base" checked={job.id === base} onChange={() => choose(job.id)} />{" "}
              <span className="hidden-visually">Job {job.id} as the </span>base job
            </label>
            <Caveats job={job} />
            <StateBadge look={JOB_STATES[job.state]} />
            {job.judgement && (
              <span title="Whether its bandwidth was what was to be expected">
                <span className="hidden-visually">Bandwidth: </span>
                <StateBadge look={JUDGEMENTS[job.judgement]} />
              </span>
            )}
            <Link
              ref={passesFocus}
              to="/compare"
              search={(old) => ({ ...old, ids: ids.filter((id) => id !== job.id).join(",") })}
              className={classes.remove}
              aria-label={`Leave out job ${job.id}`}
            >
              ✕
            </Link>
          </li>
        ))}
      </ul>
      <div className={classes.controls}>
        {children}
        <span className="spread">
          <CopyComparison ids={ids} base={base} part={part} more={copies} />
        </span>
      </div>
    </section>
  );
}
