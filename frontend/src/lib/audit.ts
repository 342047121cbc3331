/** The audit's filter in a URL, in the API's words and on the command line. Pure. */
import { shellQuote } from "./shell";
import { ROOT } from "../api/site";

export interface AuditSearch {
  actor?: string;
  /** Such as job.cancelled, or job.* for all of jobs. */
  action?: string;
  /** Such as job:12. */
  target?: string;
  /** Days, by this browser's time zone; the second one is left out itself. */
  since?: string;
  until?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What of a URL the audit understands. */
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

/** The same as the API takes it. */
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

/** Where the server gives out every event that matches. */
export function exportPath(search: AuditSearch, format: "csv" | "ndjson"): string {
  return `${ROOT}/api/v1/events/export?${new URLSearchParams({ format, ...auditParams(search) })}`;
}

/** The same in a terminal. */
export function auditCommand(search: AuditSearch): string {
  const flags = (["actor", "action", "target", "since", "until"] as const).flatMap((name) => {
    const value = search[name];
    return value ? [`--${name}`, shellQuote(value)] : [];
  });
  return ["ringscope events", ...flags].join(" ");
}
