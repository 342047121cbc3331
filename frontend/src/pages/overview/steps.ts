/** The busy slots of a day as a step line. Pure. */
import type { BusySlotsView } from "../../api/types";

export interface Steps {
  /** "x,y x,y" between 0 and 1, the newest on the right. */
  points: string;
  mean: number;
  most: number;
}

/** How much of its width each part has: all of it but the last one, which ends now. */
function widthsOf({ since, until, bin_seconds: seconds, busy }: BusySlotsView): number[] {
  const all = (Date.parse(until) - Date.parse(since)) / 1000 / seconds;
  return busy.map((_, i) => Math.min(1, Math.max(0, all - i)));
}

/**
 * The means of the parts of a time, against the number of slots or their own highest value if that is more. The last
 * part counts for the highest as if no slot were busy in the rest of it: so that value grows only.
 */
export function stepsOf(day: BusySlotsView, total: number): Steps {
  const { busy } = day;
  const widths = widthsOf(day);
  const all = widths.reduce((sum, width) => sum + width, 0);
  const full = Math.max(total, ...busy, 1);
  const points = busy.flatMap((value, i) => {
    const y = round(1 - value / full);
    return [`${round(i / all)},${y}`, `${round((i + (widths[i] ?? 0)) / all)},${y}`];
  });
  const weighed = busy.map((value, i) => value * (widths[i] ?? 0));
  return { points: points.join(" "), mean: weighed.reduce((sum, value) => sum + value, 0) / (all || 1), most: Math.max(0, ...weighed) };
}

function round(value: number): number {
  return Math.round(10_000 * value) / 10_000;
}

/** The mean of each whole hour of the clock, the oldest first, for a table. */
export function hourly(day: BusySlotsView): { time: string; busy: number }[] {
  const widths = widthsOf(day);
  const hours = new Map<number, { time: string; sum: number; width: number }>();
  day.busy.forEach((value, i) => {
    const time = Date.parse(day.since) + i * day.bin_seconds * 1000;
    const hour = Math.floor(time / 3_600_000);
    const known = hours.get(hour) ?? { time: new Date(time).toISOString(), sum: 0, width: 0 };
    const width = widths[i] ?? 0;
    hours.set(hour, { time: known.time, sum: known.sum + value * width, width: known.width + width });
  });
  return [...hours.values()].map(({ time, sum, width }) => ({ time, busy: sum / (width || 1) }));
}
