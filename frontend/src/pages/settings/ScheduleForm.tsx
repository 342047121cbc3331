import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { api, ApiError, unwrap } from "../../api/client";
import type { ScheduleBody, ScheduleView } from "../../api/types";
import { buttonsClass } from "../../components/controls/Dialog";
import { ErrorNote } from "../../components/states/ErrorNote";
import { SCHEDULE_FIELDS } from "./settingsForms";
import classes from "./Settings.module.css";
import { useSettingsForm } from "./useSettingsForm";

const OVERLAPS = [
  { value: "skip", label: "skip this time" },
  { value: "queue", label: "queue one more" },
  { value: "replace", label: "cancel it, and submit again" },
];
const STANDARD = { kind: "benchmark", placement: { ranks: 2 } };

interface Props {
  /** The schedule to change; without it a new one is made. */
  schedule?: ScheduleView;
  onDone: () => void;
  onCancel: () => void;
}

export function ScheduleForm({ schedule, onDone, onCancel }: Props) {
  const form = useSettingsForm(
    SCHEDULE_FIELDS,
    async ({ name, cron, timezone, overlap, spec, job }, key) => {
      const specified = job ? await specOf(Number(job)) : (JSON.parse(spec) as ScheduleBody["spec"]);
      const isEnabled = schedule?.is_enabled ?? true;
      const body = { name, cron, timezone, overlap: overlap as ScheduleBody["overlap"], is_enabled: isEnabled, spec: specified };
      return save(body, key, schedule);
    },
    onDone,
  );
  return (
    <form className={classes.form} {...form.props}>
      <TextInput {...form.field("name")} defaultValue={schedule?.name} />
      <TextInput
        {...form.field("cron")}
        description="Minute, hour, day of month, month, day of week, such as 30 2 * * MON-FRI"
        defaultValue={schedule?.cron ?? "0 2 * * *"}
      />
      <TextInput
        {...form.field("timezone")}
        defaultValue={schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
      />
      <NativeSelect {...form.field("overlap")} data={OVERLAPS} defaultValue={schedule?.overlap} />
      {!schedule && <TextInput {...form.field("job")} description="Its number; else the job below" inputMode="numeric" />}
      <Textarea
        {...form.field("spec")}
        className={classes.spec ?? ""}
        description="Its specification, as the API takes it"
        rows={8}
        defaultValue={JSON.stringify(schedule?.spec ?? STANDARD, null, 2)}
      />
      {form.error && <ErrorNote what="The schedule was not saved" error={form.error} />}
      <div className={buttonsClass}>
        <Button onClick={onCancel}>Cancel</Button>
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

/** The specification of a job; if the job does not exist, the server's sentence is shown at the field with its number. */
async function specOf(job: number): Promise<ScheduleBody["spec"]> {
  try {
    return unwrap(await api.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id: job } } })).spec;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.status, error.code, error.message, [{ pointer: "/job", detail: error.message }]);
  }
}
