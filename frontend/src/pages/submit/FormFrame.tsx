/** The common frame of the forms of all kinds of jobs: title, refusal, the fields, and a preview of the job. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { FieldProblem } from "../../api/client";
import type { JobSpec } from "../../api/types";
import { FormFoot } from "../../components/controls/FormFoot";
import { ErrorNote } from "../../components/states/ErrorNote";
import { SameJob } from "../../components/marks/SameJob";
import type { JobCheck } from "../../data/prediction";
import { unreadable } from "../../lib/form/fieldWords";
import { problemsAt } from "../../lib/form/specForm";
import type { Form, Problems, FieldTable } from "../../lib/form/types";
import { KindChoice } from "./KindChoice";
import classes from "./SubmitPage.module.css";
import { Start } from "./Start";
import { useCheck } from "./useCheck";
import { focusFirst, useSubmit } from "./useSubmit";

interface Props<F extends string> {
  /** The job from which the form began. */
  from: string | undefined;
  spec: JobSpec;
  /** In the order of the page. */
  table: FieldTable<F>;
  form: Form<F>;
  /** The default form. */
  start: Form<F>;
  /** Fields that are not on the page. */
  hidden?: readonly F[];
  /** How the server's sentences find their fields; by the table if it is not given. */
  find?: (found: readonly FieldProblem[]) => { fields: Problems; other: string[] };
  /** Controls beside the title. */
  head?: ReactNode;
  /** The job in a few words. */
  preview: ReactNode;
  /** The prediction for a form without problems, besides its start. Null: the server has not answered yet. */
  prediction?: (check: JobCheck | null) => ReactNode;
  hasCommand: boolean;
  fields: (problems: Problems) => ReactNode;
}

export function FormFrame<F extends string>(props: Props<F>) {
  const { from, spec, table, form, start, hidden = [], find = (found) => problemsAt(table, found), fields } = props;
  const [tried, setTried] = useState(0);
  const unread = unreadable(table, form, hidden);
  const isReadable = Object.keys(unread).length === 0;
  const { check, onRefused } = useCheck(spec, isReadable);
  const { submit, error, isSubmitting } = useSubmit(spec, (problems) => {
    onRefused(problems);
    setTried((times) => times + 1);
  });
  const found = find(check?.problems ?? []);
  const problems = { ...withoutBlank(found.fields, form, start, tried > 0), ...unread };
  const hasProblem = Object.keys(problems).length > 0;
  // A job that no node can run has no forecast: the sentence above the form says why.
  const isPossible = !hasProblem && found.other.length === 0;
  useFocusOnRefusal(tried, Object.keys({ ...found.fields, ...unread }), Object.keys(table));
  return (
    <form
      className="page"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReadable) submit();
        else setTried((times) => times + 1);
      }}
    >
      <div className="page-head">
        <h1>{from ? `New job like job ${from}` : "New job"}</h1>
        {!from && <KindChoice />}
        {props.head}
      </div>
      {found.other.length > 0 && <ErrorNote what="The job cannot be submitted like this" error={new Error(found.other.join(" "))} />}
      <div className={classes.columns}>
        {fields(problems)}
        <aside className={`card ${classes.preview}`} aria-label="What will run">
          {props.preview}
          <FormFoot
            submit="Submit the job"
            sending="Submitting …"
            isSending={isSubmitting}
            failed="The job was not submitted"
            error={error}
            wrong={hasProblem ? toFix(problems, table) : undefined}
            same={props.hasCommand && isReadable && <SameJob spec={spec} />}
          >
            {isReadable && isPossible && <Start check={check} />}
            {isPossible && props.prediction?.(check)}
          </FormFoot>
        </aside>
      </div>
    </form>
  );
}

/** "Fix the marked field to see the forecast: Ranks." */
function toFix<F extends string>(problems: Problems, table: FieldTable<F>): string {
  // "model_arguments.heads" belongs to model_arguments.
  const labels = Object.keys(problems).map((name) => table[name.split(".")[0] as F]?.label ?? name);
  const names = [...new Set(labels)];
  return `Fix the marked ${names.length > 1 ? "fields" : "field"} to see the forecast: ${names.join(", ")}.`;
}

/** Empty required fields are reported only once the form was submitted. */
function withoutBlank<F extends string>(problems: Problems, form: Form<F>, start: Form<F>, isTried: boolean): Problems {
  const isBlank = (field: string): boolean => form[field as F] === "" && start[field as F] === "";
  return Object.fromEntries(Object.entries(problems).filter(([field]) => isTried || !isBlank(field)));
}

/** Focuses the first field with a problem each time that the form was refused, once its sentences are shown. */
function useFocusOnRefusal(tried: number, problems: readonly string[], fields: readonly string[]): void {
  const answered = useRef(0);
  const [names, order] = [problems.join(), fields.join()];
  useEffect(() => {
    if (tried === answered.current || names === "") return;
    answered.current = tried;
    focusFirst(names.split(","), order.split(","));
  }, [names, order, tried]);
}
