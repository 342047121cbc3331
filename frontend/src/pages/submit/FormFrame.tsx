/** What the forms of all kinds of jobs have around them: title, refusal, the fields, and what will run. */
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiError } from "../../api/client";
import type { JobSpec } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { SameJob } from "../../components/SameJob";
import type { Problems } from "../../lib/specForm";
import { KindChoice } from "./KindChoice";
import classes from "./SubmitPage.module.css";
import { type FindProblems, useSubmit } from "./useSubmit";

interface Props {
  /** The job that the form began from. */
  from: string | undefined;
  spec: JobSpec;
  /** The form's fields in the order of the page. */
  names: readonly string[];
  find: FindProblems;
  /** Beside the title. */
  head?: ReactNode;
  /** What will run, in a few words. */
  preview: ReactNode;
  /** What is known of it before it runs. */
  foreseen?: ReactNode;
  hasCommand: boolean;
  fields: (problems: Problems) => ReactNode;
}

export function FormFrame({ from, spec, names, find, head, preview, foreseen, hasCommand, fields }: Props) {
  const { submit, error, isSubmitting } = useSubmit(spec, find, names);
  const problems = find(error?.fields ?? []);
  return (
    <form
      className="page"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="page-head">
        <h1>{from ? `New job like job ${from}` : "New job"}</h1>
        {!from && <KindChoice />}
        {head}
      </div>
      {error && (problems.other.length > 0 || error.fields.length === 0) && <Refused error={error} others={problems.other} />}
      <div className={classes.columns}>
        {fields(problems.fields)}
        <aside className={`card ${classes.preview}`} aria-label="What will run">
          {preview}
          <Button type="submit" variant="filled" size="sm" fullWidth aria-busy={isSubmitting}>
            {isSubmitting ? "Submitting …" : "Submit the job"}
          </Button>
          {foreseen}
          {hasCommand && <SameJob spec={spec} />}
        </aside>
      </div>
    </form>
  );
}

function Refused({ error, others }: { error: ApiError; others: readonly string[] }) {
  return <ErrorNote what="The job was not submitted" error={new Error([error.message, ...others].join(" "))} />;
}
