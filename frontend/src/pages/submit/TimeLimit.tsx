import { TextField } from "../../components/controls/fields";
import { formatDuration } from "../../lib/format";
import type { Bound } from "./bind";

/** The time after which any job is stopped, so that none runs for ever. */
export function TimeLimit({ bound }: { bound: Bound }) {
  return <TextField description="Seconds, loading included; then it is stopped" inputMode="numeric" {...bound} />;
}

const MOST_SECONDS = 7 * 86_400;

/** What to change if the job would take longer than its limit; empty if it would not, or if that is not known. */
export function overLimit(seconds: number | null | undefined, limitSeconds: number): string[] {
  if (seconds == null || seconds <= limitSeconds) return [];
  const asked = Math.min(MOST_SECONDS, Math.ceil((1.2 * seconds) / 60) * 60);
  return [
    `This takes about ${formatDuration(seconds)}, and the job is stopped after ${formatDuration(limitSeconds)}: set Time limit to ${asked} s, or ask for less.`,
  ];
}
