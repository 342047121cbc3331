/** The nodes for which the others of a gang wait. Pure. */
import type { MemberView } from "../../../api/types";
import { shortList } from "../../../lib/format";

const MOST_NAMES = 5;

/** "node h3 of 10 to be ready": what a gang waits for; empty if it waits for nothing. */
export function awaited(members: readonly MemberView[]): string {
  return behind(members, "assigned", "to be ready") || behind(members, "ready", "to start ranks");
}

function behind(members: readonly MemberView[], phase: MemberView["phase"], what: string): string {
  const late = members.filter((member) => member.phase === phase).map((member) => member.node);
  if (late.length === 0) return "";
  if (late.length === 1) return `node ${late[0]}${members.length > 1 ? ` of ${members.length}` : ""} ${what}`;
  return `${late.length} of ${members.length} nodes ${what}: ${shortList(late, MOST_NAMES)}`;
}
