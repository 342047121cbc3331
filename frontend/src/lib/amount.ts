/** Rates and durations as typed: the same words as `ringscope plan` takes (units.py). */

import { formatCount } from "./format";

const PREFIXES = ["", "k", "m", "g", "t"];
const NUMBER = String.raw`\s*(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})\s*`;
const RATE = new RegExp(`^${NUMBER}([kmgt]?)(i?)(b|bits?)\\s*(?:/\\s*s|ps)\\s*$`, "i");
const DURATION = new RegExp(`^${NUMBER}(s|ms|us|µs|ns|)\\s*$`);
const PER_SECOND: Record<string, number> = { "": 1, s: 1, ms: 1e3, us: 1e6, µs: 1e6, ns: 1e9 };

/** Bytes per second: "1GB/s" is in bytes, "10Gbit/s", "10Gbps" and "10Gb/s" in bits; null for any other text, and for zero. */
export function parseRate(text: string): number | null {
  const match = RATE.exec(text);
  if (!match || Number(match[1]) === 0) return null;
  const perSecond = Number(match[1]) * factor(match[2], Boolean(match[3]));
  return match[4] === "B" ? perSecond : perSecond / 8;
}

/** Seconds: "5us", "1.5 ms", "0"; null for any other text. */
export function parseSeconds(text: string): number | null {
  const match = DURATION.exec(text);
  return match ? Number(match[1]) / (PER_SECOND[match[2] ?? ""] ?? 1) : null;
}

/** "2.16 s", "83.3 ms", "39.6 µs": three digits in the largest unit that gives a whole one. */
export function formatSeconds(seconds: number): string {
  const [value, unit] = seconds >= 1 ? [seconds, "s"] : seconds >= 1e-3 ? [seconds * 1e3, "ms"] : [seconds * 1e6, "µs"];
  return `${value === 0 ? "0" : digits(value)} ${unit}`;
}

/** Three significant digits without trailing zeros, and without an exponent. */
export function digits(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const places = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)))));
  const text = value.toFixed(places);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : formatCount(Number(text));
}

/** The same for an input: "1000", which elsewhere is shown as "1,000". */
export function typedDigits(value: number): string {
  return digits(value).replaceAll(",", "");
}

function factor(prefix = "", isBinary: boolean): number {
  return (isBinary ? 1024 : 1000) ** PREFIXES.indexOf(prefix.toLowerCase());
}
