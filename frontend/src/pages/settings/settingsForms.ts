/** The forms of the settings as tables, and what is wrong with one in its own words. Pure. */
import type { FieldProblem } from "../../api/client";
import { unreadable } from "../../lib/form/fieldWords";
import { problemsAt } from "../../lib/form/specForm";
import type { Form, Problems, FieldTable } from "../../lib/form/types";

export const TOKEN_FIELDS = {
  name: { pointer: "/name", label: "Name", reads: "text" },
  kind: { pointer: "/kind", label: "Kind", reads: "text" },
  role: { pointer: "/role", label: "Role", reads: "text" },
  node: { pointer: "/node", label: "Node", reads: "text" },
  note: { pointer: "/note", label: "Note (optional)", reads: "text" },
  days: { pointer: "/expires_in_days", label: "Days (optional)", reads: "optional number" },
} as const satisfies FieldTable<string>;

export const WEBHOOK_FIELDS = {
  name: { pointer: "/name", label: "Name", reads: "text" },
  url: { pointer: "/url", label: "URL", reads: "text" },
  events: { pointer: "/events", label: "Events", reads: "text" },
} as const satisfies FieldTable<string>;

export const SCHEDULE_FIELDS = {
  name: { pointer: "/name", label: "Name", reads: "text" },
  cron: { pointer: "/cron", label: "Times", reads: "text" },
  timezone: { pointer: "/timezone", label: "Time zone", reads: "text" },
  overlap: { pointer: "/overlap", label: "While a job of it has not ended", reads: "text" },
  job: { pointer: "/job", label: "Job to repeat (optional)", reads: "optional whole number" },
  spec: { pointer: "/spec", label: "Job", reads: "JSON" },
} as const satisfies FieldTable<string>;

/** What cannot be read of the fields that the form shows; a job's number stands for its specification. */
export function unreadableTexts<F extends string>(table: FieldTable<F>, texts: Readonly<Record<string, string>>): Problems {
  const hidden = Object.keys(table).filter((field) => !(field in texts) || (field === "spec" && texts.job));
  return unreadable(table, texts as Form<F>, hidden);
}

/** What the server refused, by field; `other` is about none of them. Inside a specification its place is told. */
export function refusedTexts<F extends string>(table: FieldTable<F>, found: readonly FieldProblem[]): { fields: Problems; other: string[] } {
  const inside = found.filter(({ pointer }) => pointer.startsWith("/spec/"));
  const { fields, other } = problemsAt(table, found.filter((problem) => !inside.includes(problem)));
  const told = inside.map(({ detail }) => detail.replace(/^spec\./, "")).join(" ");
  return { fields: told ? { ...fields, spec: told } : fields, other };
}
