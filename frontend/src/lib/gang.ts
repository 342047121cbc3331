/** A gang as a page says it: how far each of its nodes has come, and who keeps the others waiting. */
import type { AttemptView, MemberView } from "../api/types";
import { formatDuration, secondsBetween, shortList } from "./format";

const MOST_NAMES = 5;
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
  // As many places as the error has that say something.
  const places = Math.min(3, Math.max(0, 1 - Math.floor(Math.log10(error * scale || 1))));
  const sign = offset < 0 ? "−" : "+";
  return `${sign}${Math.abs(offset * scale).toFixed(places)} ± ${(error * scale).toFixed(places)} ${unit}`;
}

/** "node h3 of 10 to be ready": what keeps a gang from starting; empty when nothing does. */
export function awaited(members: readonly MemberView[]): string {
  return behind(members, "assigned", "to be ready") || behind(members, "ready", "to start ranks");
}

function behind(members: readonly MemberView[], phase: MemberView["phase"], what: string): string {
  const late = members.filter((member) => member.phase === phase).map((member) => member.node);
  if (late.length === 0) return "";
  if (late.length === 1) return `node ${late[0]}${members.length > 1 ? ` of ${members.length}` : ""} ${what}`;
  return `${late.length} of ${members.length} nodes ${what}: ${shortList(late, MOST_NAMES)}`;
}
