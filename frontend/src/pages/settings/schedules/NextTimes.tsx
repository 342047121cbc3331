import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../../api/client";
import { TYPING_MS } from "../../../data/prediction";
import { cronTimesQuery } from "../../../data/settings";
import { formatDateTime } from "../../../lib/format";
import type { Problems } from "../../../lib/form/types";
import { refusedTexts, SCHEDULE_FIELDS } from "../settingsForms";
import classes from "../Settings.module.css";

interface NextTimes {
  /** Undefined while they are not known. */
  times: readonly string[] | undefined;
  /** What the server finds wrong with the expression or the time zone, by field. */
  problems: Problems;
}

/** The next times of a cron expression, asked for while typing. */
export function useNextTimes(cron: string, timezone: string): NextTimes {
  const [asked] = useDebouncedValue(`${cron}\n${timezone}`, TYPING_MS);
  const [settled = "", zone = ""] = asked.split("\n");
  const { data, error } = useQuery(cronTimesQuery(settled, zone));
  const isSettled = asked === `${cron}\n${timezone}`;
  const problems = isSettled && error instanceof ApiError ? refusedTexts(SCHEDULE_FIELDS, error.fields).fields : {};
  return { times: error ? undefined : data, problems };
}

/** Times in the browser's time zone. */
export function TimeList({ times }: { times: readonly string[] }) {
  return (
    <>
      <p className="dim">Next times, in this browser&rsquo;s time zone</p>
      <ol className={classes.times} aria-label="Next times">
        {times.map((time) => (
          <li key={time}>
            <time dateTime={time}>{formatDateTime(time)}</time>
          </li>
        ))}
      </ol>
    </>
  );
}
