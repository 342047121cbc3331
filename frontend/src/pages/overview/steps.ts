/** The busy slots of a day as a step line. Pure. */

export interface Steps {
  /** "x,y x,y" between 0 and 1, the newest on the right. */
  points: string;
  mean: number;
  most: number;
}

/** The means of equal parts of a time, against the number of slots or their own highest value if that is more. */
export function stepsOf(busy: readonly number[], total: number): Steps {
  const most = Math.max(0, ...busy);
  const full = Math.max(total, most, 1);
  const points = busy.flatMap((value, i) => {
    const y = round(1 - value / full);
    return [`${round(i / busy.length)},${y}`, `${round((i + 1) / busy.length)},${y}`];
  });
  return { points: points.join(" "), mean: busy.reduce((sum, value) => sum + value, 0) / Math.max(1, busy.length), most };
}

function round(value: number): number {
  return Math.round(10_000 * value) / 10_000;
}

/** The mean of each whole hour, the oldest first, for a table. */
export function hourly({ since, bin_seconds: seconds, busy }: { since: string; bin_seconds: number; busy: readonly number[] }): { time: string; busy: number }[] {
  const perHour = Math.max(1, Math.round(3600 / seconds));
  return Array.from({ length: Math.ceil(busy.length / perHour) }, (_, hour) => {
    const part = busy.slice(hour * perHour, (hour + 1) * perHour);
    const time = new Date(Date.parse(since) + hour * perHour * seconds * 1000).toISOString();
    return { time, busy: part.reduce((sum, value) => sum + value, 0) / part.length };
  });
}
