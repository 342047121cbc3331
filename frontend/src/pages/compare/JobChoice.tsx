/** The newest jobs, of which some are chosen to be compared. */
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { JobView } from "../../api/types";
import { Age } from "../../components/Age";
import { useMarks } from "../../components/hooks/useMarks";
import { EmptyState } from "../../components/states/EmptyState";
import { Loaded } from "../../components/states/Loaded";
import { arrivedQuery, jobsQuery } from "../../data/jobs";
import { baseOf, isComparable, MOST_JOBS } from "../../lib/sweep/compare";
import { type JobFilter, matches } from "../../lib/search/jobFilter";
import { jobName } from "../../lib/state";
import { workWords } from "../../lib/form/work";
import { useCompareSearch } from "./CompareControls";
import classes from "./ComparePage.module.css";

const SHOWN = 12;

/** `chosen` are the jobs of the address; only jobs of the same kind can be added to them. */
export function JobChoice({ chosen }: { chosen: readonly JobView[] }) {
  const kind = chosen[0]?.kind;
  const filter: JobFilter = { state: "succeeded", ...(kind && { kind }) };
  const query = useInfiniteQuery(jobsQuery(filter));
  const ended = useQuery(arrivedQuery).data.filter((job) => matches(job, filter));
  return (
    <Loaded query={query} what="The jobs could not be loaded" rows={SHOWN} isBare>
      {(found) => <Form jobs={offered(found.pages.flatMap(({ items }) => items), ended, chosen)} chosen={chosen} />}
    </Loaded>
  );
}

/** The chosen jobs, then the newest others that have something to compare; those that have ended since are below them. */
function offered(found: readonly JobView[], ended: readonly JobView[], chosen: readonly JobView[]): JobView[] {
  const known = new Set([...chosen, ...found].map(({ id }) => id));
  const others = found.filter((job) => !chosen.some(({ id }) => id === job.id));
  const later = ended.filter(({ id }) => !known.has(id));
  return [...chosen, ...others.filter(isComparable).slice(0, SHOWN), ...later.filter(isComparable)];
}

/** The two newest jobs of one kind, the older one first; undefined: no two are of one kind. */
function latestTwo(jobs: readonly JobView[]): readonly [number, number] | undefined {
  const newest = [...jobs].sort((a, b) => b.id - a.id);
  for (const [i, { id, kind }] of newest.entries()) {
    const before = newest.slice(i + 1).find((job) => job.kind === kind);
    if (before) return [before.id, id];
  }
  return undefined;
}

function Form({ jobs, chosen }: { jobs: readonly JobView[]; chosen: readonly JobView[] }) {
  const [, set] = useCompareSearch();
  const [marks] = useMarks();
  const [ids, setIds] = useState<readonly number[]>(chosen.map(({ id }) => id));
  const latest = ids.length === 0 ? latestTwo(jobs) : undefined;
  const compared = latest ?? ids;
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
        const against = baseOf(compared, marks.base);
        set({ ids: compared.join(","), base: against === compared[0] ? undefined : String(against) });
      }}
    >
      <fieldset>
        <legend>Choose 2 to {MOST_JOBS} jobs of one kind; ★ marks the base job.</legend>
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
      <Button type="submit" variant="filled" disabled={compared.length < 2}>
        {latest ? "Compare the latest two" : "Compare"}
      </Button>
    </form>
  );
}
