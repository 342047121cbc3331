/** A new job: the fields of the specification, presets, and what the sweep will be. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { clusterQuery, engineQuery, jobQuery } from "../../api/queries";
import type { Engine, JobSpec } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { usePageTitle } from "../../components/usePageTitle";
import { type Field, formChanges, fromSpec, type JobForm, opened, PRESETS, problemsByField, STANDARD, withCollective, withTransport } from "../../lib/form";
import { Fields } from "./Fields";
import { Preview } from "./Preview";
import classes from "./SubmitPage.module.css";
import { useSubmit } from "./useSubmit";

const route = getRouteApi("/jobs/new");

/** With ?from=42 the form starts from job 42's specification. */
export function SubmitPage() {
  usePageTitle("new job");
  const { from } = route.useSearch();
  const job = useQuery({ ...jobQuery(Number(from)), enabled: from !== undefined });
  const engine = useQuery(engineQuery);
  if (engine.error) {
    return <ErrorNote what="The choices could not be loaded" error={engine.error} onRetry={() => void engine.refetch()} />;
  }
  if (job.error) return <ErrorNote what={`Job ${from} could not be loaded`} error={job.error} />;
  if (!engine.data) return null;
  if (from === undefined) return <SubmitForm engine={engine.data} start={STANDARD} />;
  if (!job.data) return null;
  return <SubmitForm engine={engine.data} start={fromSpec(job.data.spec)} base={job.data.spec} from={from} />;
}

interface Props {
  engine: Engine;
  start: JobForm;
  base?: JobSpec;
  from?: string;
}

function SubmitForm({ engine, start, base, from }: Props) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const cluster = useQuery(clusterQuery);
  const [form, setForm] = useState<JobForm>(() => opened(start, search, engine));
  const { submit, error, isSubmitting } = useSubmit(form, base);
  const problems = problemsByField(error?.fields ?? []);
  const change = (values: Partial<JobForm>): void => {
    const next = { ...form, ...values };
    setForm(next);
    void navigate({ search: { ...(from && { from }), ...formChanges(next, start) }, replace: true, resetScroll: false });
  };
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
        <Presets form={form} onChange={change} />
      </div>
      {error && (problems.other.length > 0 || error.fields.length === 0) && (
        <ErrorNote what="The job was not submitted" error={new Error([error.message, ...problems.other].join(" "))} />
      )}
      <div className={classes.columns}>
        <Fields
          engine={engine}
          form={form}
          problems={problems.fields}
          slots={cluster.data ? { busy: cluster.data.slots_busy, total: cluster.data.slots_total } : null}
          onChange={(field: Field, value: string) =>
            change(changed(form, field, value, engine))
          }
        />
        <Preview form={form} {...(base && { base })}>
          <Button type="submit" variant="filled" size="sm" fullWidth aria-busy={isSubmitting}>
            {isSubmitting ? "Submitting …" : "Submit the job"}
          </Button>
        </Preview>
      </div>
    </form>
  );
}

/** What one field's new value makes of the form. */
function changed(form: JobForm, field: Field, value: string, engine: Engine): Partial<JobForm> {
  if (field === "collective") return withCollective(form, value, engine);
  if (field === "transport") return withTransport(form, value, engine);
  return { [field]: value };
}

function Presets({ form, onChange }: { form: JobForm; onChange: (values: Partial<JobForm>) => void }) {
  return (
    <div className={classes.presets} role="group" aria-label="Presets">
      {Object.entries(PRESETS).map(([name, values]) => {
        const isChosen = Object.entries(values).every(([key, value]) => form[key as Field] === value);
        return (
          <Button key={name} aria-pressed={isChosen} data-chosen={isChosen || undefined} onClick={() => onChange(values)}>
            {name}
          </Button>
        );
      })}
    </div>
  );
}
