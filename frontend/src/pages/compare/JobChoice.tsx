/** The newest jobs, of which some are chosen to be compared. */
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { JobView } from "../../api/types";
import { Age } from "../../components/Age";
import { useMarks } from "../../components/hooks/useMarks";
import { EmptyState } from "../../components/states/EmptyState";
import { Loaded } from "../../components/states/Loaded";
import { jobsQuery } from "../../data/jobs";
import { baseOf, isComparable, MOST_JOBS } from "../../lib/sweep/compare";
import { jobName } from "../../lib/state";
import { workWords } from "../../lib/form/work";
import { useCompareSearch } from "./CompareControls";
import classes from "./ComparePage.module.css";

const SHOWN = 12;

/** `chosen` are the jobs of the address; only jobs of the same kind can be added to them. */
export function JobChoice({ chosen }: { chosen: readonly JobView[] }) {
  const kind = chosen[0]?.kind;
  const query = useInfiniteQuery(jobsQuery({ state: "succeeded", ...(kind && { kind }) }));
  return (
    <Loaded query={query} what="The jobs could not be loaded" rows={SHOWN} isBare>
      {(found) => <Form jobs={offered(found.pages.flatMap(({ items }) => items), chosen)} chosen={chosen} />}
    </Loaded>
  );
}

/** The chosen jobs, then the newest others that have something to compare. */
function offered(found: readonly JobView[], chosen: readonly JobView[]): JobView[] {
  const ids = new Set(chosen.map(({ id }) => id));
  const others = found.filter((job) => !ids.has(job.id) && isComparable(job));
  return [...chosen, ...others.slice(0, SHOWN)];
}

function Form({ jobs, chosen }: { jobs: readonly JobView[]; chosen: readonly JobView[] }) {
  const [, set] = useCompareSearch();
  const [marks] = useMarks();
  const [ids, setIds] = useState<readonly number[]>(chosen.map(({ id }) => id));
  const base = baseOf(ids, marks.base);
  const kind = jobs.find(({ id }) => id === ids[0])?.kind;
  const toggle = (id: number): void => setIds(ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]);
  if (jobs.length < 2) {
    return (
      <EmptyState title="There are not two jobs to compare yet">
        <p>Run two benchmarks, two training jobs or two strategy searches, for instance with other algorithms, and choose them here.</p>
      </EmptyState>
    );
  }
  return (
    <form
      className={classes.jobChoice}
      onSubmit={(event) => {
        event.preventDefault();
        set({ ids: ids.join(","), base: base === ids[0] ? undefined : String(base) });
      }}
    >
      <fieldset>
        <legend>Choose two to {MOST_JOBS} jobs of one kind; ★ marks the base job.</legend>
        {jobs.map((job) => {
          const isChosen = ids.includes(job.id);
          const isFull = !isChosen && (ids.length >= MOST_JOBS || (kind !== undefined && job.kind !== kind));
          return (
            <label key={job.id}>
              <input type="checkbox" checked={isChosen} disabled={isFull} onChange={() => toggle(job.id)} /> job {job.id}{" "}
              {job.id === base && <span title="The base job">★</span>}
              <span className={classes.title}>{jobName(job)}</span>
              <span className={`dim ${classes.title}`}>
                {workWords(job.spec)}, <Age iso={job.created_at} isSentence />
              </span>
            </label>
          );
        })}
      </fieldset>
      <Button type="submit" variant="filled" disabled={ids.length < 2}>
        Compare
      </Button>
    </form>
  );
}
