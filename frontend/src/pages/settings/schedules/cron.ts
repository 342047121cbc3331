/** Usual cron expressions as the fields of a form. Pure. */

export const REPEATS = {
  minutes: "every few minutes",
  hour: "every hour",
  day: "every day",
  weekday: "every weekday",
  week: "every week",
  cron: "own cron expression",
} as const;
export type Repeat = keyof typeof REPEATS;

/** Steps that divide an hour: others would restart at each full hour. */
export const STEPS = [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30] as const;
export const WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;
const WORKDAYS = "MON-FRI";

export interface Times {
  repeat: Repeat;
  /** Minutes between two times. */
  step: number;
  minute: number;
  hour: number;
  /** One of `WEEKDAYS`. */
  weekday: string;
}

const USUAL: Times = { repeat: "cron", step: 15, minute: 0, hour: 2, weekday: "MON" };

/** The fields that an expression stands for; "cron" if no other kind of repetition does. */
export function timesOf(cron: string): Times {
  const fields = cron.trim().split(/\s+/);
  const [minutes = "", hours = "", day, month, weekdays = ""] = fields;
  if (fields.length !== 5 || day !== "*" || month !== "*") return USUAL;
  const step = Number(/^\*\/(\d+)$/.exec(minutes)?.[1] ?? (minutes === "*" ? 1 : NaN));
  if (hours === "*" && weekdays === "*" && (STEPS as readonly number[]).includes(step)) return { ...USUAL, repeat: "minutes", step };
  const minute = numberOf(minutes, 59);
  if (minute === null) return USUAL;
  if (hours === "*" && weekdays === "*") return { ...USUAL, repeat: "hour", minute };
  const hour = numberOf(hours, 23);
  if (hour === null) return USUAL;
  const at = { ...USUAL, minute, hour };
  if (weekdays === "*") return { ...at, repeat: "day" };
  if (weekdays.toUpperCase() === WORKDAYS || weekdays === "1-5") return { ...at, repeat: "weekday" };
  const weekday = weekdayOf(weekdays);
  return weekday ? { ...at, repeat: "week", weekday } : USUAL;
}

/** The expression of the fields; null for an own expression, which has none. */
export function cronOf({ repeat, step, minute, hour, weekday }: Times): string | null {
  if (repeat === "minutes") return step === 1 ? "* * * * *" : `*/${step} * * * *`;
  if (repeat === "hour") return `${minute} * * * *`;
  if (repeat === "day") return `${minute} ${hour} * * *`;
  if (repeat === "weekday") return `${minute} ${hour} * * ${WORKDAYS}`;
  if (repeat === "week") return `${minute} ${hour} * * ${weekday}`;
  return null;
}

/** "02:30" for a field of type time. */
export function clockOf({ hour, minute }: Pick<Times, "hour" | "minute">): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** The hour and minute of "02:30"; nothing for an empty field. */
export function hourAndMinute(clock: string): Partial<Times> {
  const [hour, minute] = clock.split(":").map(Number);
  return hour === undefined || minute === undefined || Number.isNaN(hour) ? {} : { hour, minute };
}

function numberOf(text: string, most: number): number | null {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  return number <= most ? number : null;
}

/** 0 and 7 are Sunday. */
function weekdayOf(text: string): string | undefined {
  if (/^[0-7]$/.test(text)) return WEEKDAYS[(Number(text) + 6) % 7];
  return WEEKDAYS.find((day) => day === text.toUpperCase());
}
