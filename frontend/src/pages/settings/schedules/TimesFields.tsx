import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import classes from "../Settings.module.css";
import { clockOf, cronOf, hourAndMinute, REPEATS, type Repeat, STEPS, type Times, timesOf, WEEKDAYS } from "./cron";

interface Props {
  /** The props of the field with the expression. */
  field: { name: string; label: string; error: string | null };
  cron: string;
  onChange: (cron: string) => void;
}

const KINDS = Object.entries(REPEATS).map(([value, label]) => ({ value, label }));
const DAYS = WEEKDAYS.map((value, index) => ({ value, label: new Date(Date.UTC(2024, 0, index + 1)).toLocaleDateString(undefined, { weekday: "long", timeZone: "UTC" }) }));

/** The times of a schedule: the usual ones by choice, which write the cron expression below; it can also be typed. */
export function TimesFields({ field, cron, onChange }: Props) {
  const [isOwn, setOwn] = useState(false);
  const times = timesOf(cron);
  const repeat = isOwn ? "cron" : times.repeat;
  const change = (changed: Partial<Times>): void => {
    const wanted = { ...times, repeat, ...changed };
    setOwn(wanted.repeat === "cron");
    const written = cronOf(wanted);
    if (written !== null) onChange(written);
  };
  return (
    <>
      <div className={classes.row}>
        <NativeSelect label="Repeat" data={KINDS} value={repeat} onChange={(event) => change({ repeat: event.currentTarget.value as Repeat })} />
        {repeat === "minutes" && (
          <NativeSelect label="Minutes between" data={STEPS.map(String)} value={String(times.step)} onChange={(event) => change({ step: Number(event.currentTarget.value) })} />
        )}
        {repeat === "hour" && (
          <TextInput label="Minute" type="number" min={0} max={59} value={times.minute} onChange={(event) => change({ minute: Math.min(59, Math.max(0, Math.trunc(Number(event.currentTarget.value)))) })} />
        )}
        {repeat === "week" && (
          <NativeSelect label="Day" data={DAYS} value={times.weekday} onChange={(event) => change({ weekday: event.currentTarget.value })} />
        )}
        {(repeat === "day" || repeat === "weekday" || repeat === "week") && (
          <TextInput label="Time" type="time" value={clockOf(times)} onChange={(event) => change(hourAndMinute(event.currentTarget.value))} />
        )}
      </div>
      <TextInput
        {...field}
        description="Minute, hour, day of month, month, day of week, such as 30 2 * * MON-FRI"
        value={cron}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </>
  );
}
