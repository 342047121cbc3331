import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { api, unwrap } from "../../api/client";
import type { ScheduleBody, ScheduleView } from "../../api/types";
import { buttonsClass } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import classes from "./Settings.module.css";
import { textsOf, useSettingsForm } from "./useSettingsForm";

const OVERLAPS = [
  { value: "skip", label: "skip this time" },
  { value: "queue", label: "queue one more" },
  { value: "replace", label: "cancel it, and submit anew" },
];
const STANDARD = { kind: "benchmark", placement: { ranks: 2 } };

interface Props {
  /** Changed, or without it a new one is made. */
  schedule?: ScheduleView;
  onDone: () => void;
  onCancel: () => void;
}

export function ScheduleForm({ schedule, onDone, onCancel }: Props) {
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const form = useSettingsForm((body: ScheduleBody, key) => save(body, key, schedule), onDone);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { name = "", cron = "", timezone = "", overlap, spec = "", job = "" } = textsOf(event.currentTarget);
    try {
      const specified = job ? await specOf(job) : (JSON.parse(spec) as ScheduleBody["spec"]);
      setUnreadable(null);
      const isEnabled = schedule?.is_enabled ?? true;
      form.send({ name, cron, timezone, overlap: overlap as ScheduleBody["overlap"], is_enabled: isEnabled, spec: specified });
    } catch (error) {
      setUnreadable(job ? `job: ${(error as Error).message}` : `spec: this is no JSON; ${(error as Error).message}.`);
    }
  };
  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      <TextInput name="name" label="Name" defaultValue={schedule?.name} error={form.problem("name")} />
      <TextInput
        name="cron"
        label="Times"
        description="Minute, hour, day of month, month, day of week, such as 30 2 * * MON-FRI"
        defaultValue={schedule?.cron ?? "0 2 * * *"}
        error={form.problem("cron")}
      />
      <TextInput
        name="timezone"
        label="Time zone"
        defaultValue={schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
        error={form.problem("timezone")}
      />
      <NativeSelect name="overlap" label="While a job of it has not ended" data={OVERLAPS} defaultValue={schedule?.overlap} error={form.problem("overlap")} />
      {!schedule && <TextInput name="job" label="Job to repeat (optional)" description="Its number; else the job below" inputMode="numeric" />}
      <Textarea
        name="spec"
        className={classes.spec ?? ""}
        label="Job"
        description="Its specification, as the API takes it"
        rows={8}
        defaultValue={JSON.stringify(schedule?.spec ?? STANDARD, null, 2)}
        error={unreadable ?? form.problem("spec")}
      />
      {form.error && <ErrorNote what="The schedule was not kept" error={form.error} />}
      <div className={buttonsClass}>
        <Button onClick={onCancel}>Leave it</Button>
        <Button type="submit" variant="filled" aria-busy={form.isSending}>
          {schedule ? "Change schedule" : "Make schedule"}
        </Button>
      </div>
    </form>
  );
}

async function save(body: ScheduleBody, key: string, schedule: ScheduleView | undefined): Promise<ScheduleView> {
  if (!schedule) return unwrap(await api.POST("/api/v1/schedules", { params: { header: { "idempotency-key": key } }, body }));
  const params = { path: { schedule_id: schedule.id }, header: { "if-match": `"${schedule.revision}"` } };
  return unwrap(await api.PUT("/api/v1/schedules/{schedule_id}", { params, body }));
}

/** The specification of a job; throws the server's sentence where there is none. */
async function specOf(job: string): Promise<ScheduleBody["spec"]> {
  const id = Number(job.replace(/^#/, ""));
  if (!Number.isInteger(id)) throw new Error("give the number of a job.");
  return unwrap(await api.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id: id } } })).spec;
}
