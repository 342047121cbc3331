/** Numbers of one column as text: three digits each, and their points below one another. Pure. */
import { threeDigits } from "../../lib/format";

// Spaces as wide as a digit and as a point, in a font with equally wide digits.
const DIGIT = "\u2007";
const POINT = "\u2008";

/** One text for each value, padded where others have more decimals; "–" where there is no value. */
export function aligned(values: readonly (number | null | undefined)[]): string[] {
  const texts = values.map((value) => (value == null ? null : threeDigits(value)));
  const most = Math.max(0, ...texts.map((text) => decimals(text ?? "")));
  return texts.map((text) => (text === null ? "–" : text + padding(decimals(text), most)));
}

function decimals(text: string): number {
  return text.includes(".") ? text.length - text.indexOf(".") - 1 : 0;
}

function padding(has: number, most: number): string {
  return (has === 0 && most > 0 ? POINT : "") + DIGIT.repeat(most - has);
}

export interface TimeUnit {
  unit: "s" | "ms" | "µs";
  perSecond: number;
}

/** The unit of a column of times: the smallest time has three digits, not all of them behind a "0.0". */
export function timeUnit(seconds: readonly number[]): TimeUnit {
  const least = Math.min(...seconds.filter((time) => time > 0));
  if (Number.isFinite(least) && least >= 0.1) return { unit: "s", perSecond: 1 };
  return Number.isFinite(least) && least >= 1e-4 ? { unit: "ms", perSecond: 1e3 } : { unit: "µs", perSecond: 1e6 };
}
