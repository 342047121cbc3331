import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { api, ApiError, unwrap } from "../../../api/client";
import type { ScheduleBody, ScheduleView } from "../../../api/types";
import type { Form } from "../../../lib/form/types";
import { FormFoot } from "../../../components/controls/FormFoot";
import { SameRequest } from "../../../components/marks/SameRequest";
import { JobChoice } from "./JobChoice";
import { TimeList, useNextTimes } from "./NextTimes";
import { sameSchedule } from "../requests";
import { SCHEDULE_FIELDS } from "../settingsForms";
import classes from "../Settings.module.css";
import { TimesFields } from "./TimesFields";
import { useSettingsForm } from "../useSettingsForm";

const OVERLAPS = [
  { value: "skip", label: "skip this time" },
  { value: "queue", label: "queue one more" },
  { value: "replace", label: "cancel it, and submit again" },
];
const NO_JOB = "Give the number of the job to repeat.";
const NIGHTLY = "0 2 * * *";
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONES = [...new Set(["UTC", HERE, ...Intl.supportedValuesOf("timeZone")])];

interface Props {
  /** The schedule to change; without it a new one is made. */
  schedule?: ScheduleView;
  /** The job that a new schedule repeats at first. */
  from?: number | undefined;
  onDone: () => void;
  onCancel: () => void;
}

/** The fields of a schedule, and its next times. */
export function ScheduleForm({ schedule, from, onDone, onCancel }: Props) {
  const [cron, setCron] = useState(schedule?.cron ?? NIGHTLY);
  const [timezone, setTimezone] = useState(schedule?.timezone ?? HERE);
  const form = useSettingsForm(
    SCHEDULE_FIELDS,
    async ({ name, overlap, spec, job, drain }: Partial<Form<keyof typeof SCHEDULE_FIELDS>>, key) => {
      const specified = job ? await specOf(Number(job)) : ((spec ? JSON.parse(spec) : schedule?.spec) as ScheduleBody["spec"] | undefined);
      if (!specified) throw refusal(NO_JOB);
      const isEnabled = schedule?.is_enabled ?? true;
      const share = drain ? Number(drain) / 100 : null;
      const body = { name: name ?? "", cron: cron.trim(), timezone: timezone.trim(), overlap: overlap as ScheduleBody["overlap"], is_enabled: isEnabled, drain_on_blame: share, spec: specified };
      return save(body, key, schedule);
    },
    onDone,
  );
  const same = schedule ? undefined : sameSchedule(form.texts);
  const next = useNextTimes(cron.trim(), timezone.trim());
  const field = (name: "cron" | "timezone") => {
    const bound = form.field(name);
    return { ...bound, error: bound.error ?? next.problems[name] ?? null };
  };
  return (
    <form className={classes.form} {...form.props}>
      <TextInput {...form.field("name")} defaultValue={schedule?.name ?? (from && `job ${from}`)} />
      <TimesFields
        field={field("cron")}
        cron={cron}
        onChange={(changed) => {
          setCron(changed);
          form.mend("cron");
        }}
      />
      <TextInput {...field("timezone")} list="zones" value={timezone} onChange={(event) => setTimezone(event.currentTarget.value)} />
      <datalist id="zones">
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <div className={classes.preview}>
        <TimeList times={next.times ?? []} />
      </div>
      <NativeSelect {...form.field("overlap")} data={OVERLAPS} defaultValue={schedule?.overlap} />
      <JobChoice job={form.field("job")} spec={form.field("spec")} from={from} drain={form.field("drain")} share={schedule?.drain_on_blame} kept={schedule?.spec} />
      <FormFoot
        submit={schedule ? "Change schedule" : "Make schedule"}
        isSending={form.isSending}
        failed="The schedule was not saved"
        error={form.error}
        onCancel={onCancel}
        same={same && <SameRequest {...same} />}
      />
    </form>
  );
}

async function save(body: ScheduleBody, key: string, schedule: ScheduleView | undefined): Promise<ScheduleView> {
  if (!schedule) return unwrap(await api.POST("/api/v1/schedules", { params: { header: { "idempotency-key": key } }, body }));
  const params = { path: { schedule_id: schedule.id }, header: { "if-match": `"${schedule.revision}"` } };
  return unwrap(await api.PUT("/api/v1/schedules/{schedule_id}", { params, body }));
}

/** The specification of a job; if the job does not exist, the server's sentence is shown at the field with its number. */
async function specOf(job: number): Promise<ScheduleBody["spec"]> {
  try {
    return unwrap(await api.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id: job } } })).spec;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw refusal(error.message);
  }
}

/** A problem at the field of the job. */
function refusal(detail: string): ApiError {
  return new ApiError(422, "invalid_request", detail, [{ pointer: "/job", detail }]);
}
