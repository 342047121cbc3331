/** Numbers and times for people: three significant digits, units given elsewhere. */

/** "0.00123", "1.23", "12.3", "123", "1230": three significant digits, never an exponent. */
export function threeDigits(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(6, Math.max(0, 2 - magnitude)));
}

/** A share from 0 to 1: "97.5 %". */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A share as a change: "+3.20 %", "−12.0 %". */
export function signedPercent(share: number): string {
  return `${share < 0 ? "−" : "+"}${threeDigits(Math.abs(100 * share))} %`;
}

/** Samples or tokens per second: "19,401". */
export function formatRate(perSecond: number): string {
  return formatCount(Math.round(perSecond));
}

/** A duration in seconds: "0.42 s", "12 s", "10 min", "3 min 05 s", "2 h 10 min", "4 d 03 h". */
export function formatDuration(seconds: number): string {
  const s = Math.max(0, seconds);
  if (s < 10) return `${s.toFixed(s < 1 ? 2 : 1)} s`;
  if (s < 59.5) return `${Math.round(s)} s`;
  const whole = Math.round(s);
  if (whole < 3600) return twoUnits(whole, 60, "min", "s");
  const minutes = Math.floor(whole / 60);
  if (minutes < 1440) return twoUnits(minutes, 60, "h", "min");
  return twoUnits(Math.floor(minutes / 60), 24, "d", "h");
}

function twoUnits(value: number, per: number, large: string, small: string): string {
  const rest = value % per;
  return `${Math.floor(value / per)} ${large}${rest > 0 ? ` ${String(rest).padStart(2, "0")} ${small}` : ""}`;
}

/** How long ago, in one unit: "now", "8 s", "5 min", "3 h", "12 d". */
export function formatAge(seconds: number): string {
  if (seconds < 1.5) return "now";
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** "just now", "8 s ago". */
export function formatAgo(seconds: number): string {
  const age = formatAge(seconds);
  return age === "now" ? "just now" : `${age} ago`;
}

/** Seconds between two ISO times. */
export function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

/** "14:03:22.417" in the browser's zone, for a timeline or a log. */
export function formatClock(milliseconds: number): string {
  const date = new Date(milliseconds);
  return `${formatTime(milliseconds)}.${pad(date.getMilliseconds(), 3)}`;
}

/** "14:03:22" in the browser's zone. */
export function formatTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((value) => pad(value)).join(":");
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, "0");
}

// Made once: a formatter costs more than formatting a hundred rows.
const COUNT = new Intl.NumberFormat("en");
const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The whole local date and time, for a title that explains a relative time. */
export function formatDateTime(iso: string): string {
  return DATE_TIME.format(new Date(iso));
}

/** "ring, direct, mpi", or "ring, direct +9" if there are more than `most`. */
export function shortList(items: readonly string[], most: number): string {
  const shown = items.length > most ? items.slice(0, most - 1) : items;
  return `${shown.join(", ")}${items.length > shown.length ? ` +${items.length - shown.length}` : ""}`;
}

/** A mean of a count with one decimal place, a small one with two: "0.03", "under 0.01". */
export function meanCount(mean: number): string {
  if (mean > 0 && mean < 0.005) return "under 0.01";
  return mean.toFixed(mean > 0 && mean < 0.095 ? 2 : 1);
}

/** "12,345". */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** "1 row", "2 rows". */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** "n=20 timed iterations each", "n=10 to 20 timed iterations"; empty if one of them is not known. */
export function eachOf(counts: readonly (number | null | undefined)[]): string {
  const known = counts.filter((count) => count != null);
  if (known.length === 0 || known.length < counts.length) return "";
  let [least, most] = [Infinity, -Infinity];
  // The links of some hundred nodes are more numbers than a call takes arguments.
  for (const count of known) [least, most] = [Math.min(least, count), Math.max(most, count)];
  return least === most ? `n=${plural(most, "timed iteration")} each` : `n=${least} to ${most} timed iterations`;
}
