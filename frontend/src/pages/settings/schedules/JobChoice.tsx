import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { JobView } from "../../../api/types";
import { REQUIRED } from "../../../components/controls/required";
import { jobQuery } from "../../../data/job";
import { recentJobsQuery } from "../../../data/jobs";
import { simulatedPrefix, jobTitle } from "../../../lib/state";
import classes from "../Settings.module.css";

interface Bound {
  name: string;
  label: string;
  error: string | null;
}

interface Props {
  job: Bound;
  spec: Bound;
  /** The largest percentage of drained nodes; only the schedule of a diagnosis has it. */
  drain: Bound;
  /** The share that this schedule has now. */
  share: number | null | undefined;
  /** The job to repeat at first; without it the newest one. */
  from: number | undefined;
  /** The specification that is submitted now; undefined for a new schedule. */
  kept: { kind?: string } | undefined;
}

const STANDARD = { kind: "benchmark", placement: { ranks: 2 } };
const OTHER = [
  { value: "number", label: "another job, by its number" },
  { value: "spec", label: "a specification as JSON" },
];

/** The job that a schedule submits: a recent job, another job by its number, or a specification. */
export function JobChoice({ job, spec, drain, share, from, kept }: Props) {
  const recent = useQuery(recentJobsQuery);
  const given = useQuery({ ...jobQuery(from ?? 0), enabled: from !== undefined });
  const [chosen, setChosen] = useState<string | null>(null);
  const jobs = withGiven(recent.data ?? [], given.data);
  const first = kept ? "kept" : String(from ?? jobs[0]?.id ?? "spec");
  const value = chosen ?? first;
  const isJob = /^\d+$/.test(value);
  const kind = value === "kept" ? kept?.kind : jobs.find(({ id }) => String(id) === value)?.kind;
  const data = [
    ...(kept ? [{ value: "kept", label: "the job of this schedule" }] : []),
    ...(isJob && !jobs.some(({ id }) => String(id) === value) ? [{ value, label: `job ${value}` }] : []),
    ...jobs.map((one) => ({ value: String(one.id), label: `job ${one.id}: ${simulatedPrefix(one)}${jobTitle(one)}` })),
    ...OTHER,
  ];
  return (
    <>
      <NativeSelect
        label={job.label}
        {...(isJob && { name: job.name, error: job.error })}
        data={data}
        value={value}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {value === "number" && <TextInput name={job.name} error={job.error} label="Number of the job" inputMode="numeric" {...REQUIRED} />}
      {value === "spec" && (
        <Textarea
          {...spec}
          className={classes.spec ?? ""}
          description="The body of POST /api/v1/jobs"
          rows={8}
          defaultValue={JSON.stringify(kept ?? STANDARD, null, 2)}
        />
      )}
      {(kind === undefined || kind === "diagnosis") && (
        <TextInput
          {...drain}
          description="A diagnosis may drain this share; empty: it drains no node"
          inputMode="decimal"
          defaultValue={share == null ? "" : Number((100 * share).toPrecision(6))}
        />
      )}
    </>
  );
}

function withGiven(jobs: readonly JobView[], given: JobView | undefined): readonly JobView[] {
  return given && !jobs.some(({ id }) => id === given.id) ? [given, ...jobs] : jobs;
}
