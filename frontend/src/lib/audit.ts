/** The audit's filter in a URL, in the API's words and on the command line. Pure. */
import { shellQuote } from "./shell";
import { ROOT } from "../api/site";

export interface AuditSearch {
  actor?: string;
  /** Such as job.cancelled, or job.* for all actions on jobs. */
  action?: string;
  /** Such as job:12. */
  target?: string;
  /** Days in this browser's time zone; the range ends before the second one. */
  since?: string;
  until?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The parts of a URL that the audit reads. */
export function auditSearch(search: Record<string, unknown>): AuditSearch {
  const text = (name: keyof AuditSearch): AuditSearch => {
    const value = search[name];
    return typeof value === "string" && value !== "" ? { [name]: value } : {};
  };
  const day = (name: "since" | "until"): AuditSearch => (DAY.test(String(search[name])) ? text(name) : {});
  return { ...text("actor"), ...text("action"), ...text("target"), ...day("since"), ...day("until") };
}

export interface AuditParams {
  actor?: string;
  action?: string;
  target_type?: string;
  target_id?: string;
  since?: string;
  until?: string;
}

/** The same filter for the API. */
export function auditParams({ actor, action, target, since, until }: AuditSearch): AuditParams {
  const [type, ...rest] = (target ?? "").split(":");
  const id = rest.join(":");
  return {
    ...(actor && { actor }),
    ...(action && { action }),
    ...(type && { target_type: type }),
    ...(id && { target_id: id }),
    ...(since && { since: midnight(since) }),
    ...(until && { until: midnight(until) }),
  };
}

function midnight(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString();
}

/** The address from which the server exports every matching event. */
export function exportPath(search: AuditSearch, format: "csv" | "ndjson"): string {
  return `${ROOT}/api/v1/events/export?${new URLSearchParams({ format, ...auditParams(search) })}`;
}

/** The same filter as a command. */
export function auditCommand(search: AuditSearch): string {
  const flags = (["actor", "action", "target", "since", "until"] as const).flatMap((name) => {
    const value = search[name];
    return value ? [`--${name}`, shellQuote(value)] : [];
  });
  return ["ringscope events", ...flags].join(" ");
}
