/** The nodes of a gang in words: their ranks, times and clocks. Pure. */
import type { AttemptView, MemberView } from "../api/types";
import { formatDuration, secondsBetween } from "./format";

export const PHASES = ["ready", "running", "ended", "clean"] as const;

/** "0-3", or "4" for a single one. */
export function rankRange(member: MemberView): string {
  const last = member.first_rank + member.ranks - 1;
  return member.ranks === 1 ? String(last) : `${member.first_rank}-${last}`;
}

/** "+1.2 s": how long after the attempt began; "–" for a time that never came. */
export function sinceStart(attempt: AttemptView, time: string | null): string {
  return time === null ? "–" : `+${formatDuration(secondsBetween(attempt.created_at, time))}`;
}

/** "+1.24 ± 0.31 ms": the node's clock minus the server's. */
export function clockInWords(member: Pick<MemberView, "clock_offset_seconds" | "clock_error_seconds">): string {
  const { clock_offset_seconds: offset, clock_error_seconds: error } = member;
  if (offset === null || error === null) return "not known";
  const [scale, unit] = Math.max(Math.abs(offset), error) < 1 ? [1e3, "ms"] : [1, "s"];
  // As many decimals as are significant given the error.
  const places = Math.min(3, Math.max(0, 1 - Math.floor(Math.log10(error * scale || 1))));
  const sign = offset < 0 ? "−" : "+";
  return `${sign}${Math.abs(offset * scale).toFixed(places)} ± ${(error * scale).toFixed(places)} ${unit}`;
}
