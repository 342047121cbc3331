/** The forms of the settings as tables, and their problems in their own words. Pure. */
import type { FieldProblem } from "../../api/client";
import { unreadable } from "../../lib/form/fieldWords";
import { problemsAt } from "../../lib/form/specForm";
import type { Form, Problems, FieldTable } from "../../lib/form/types";

export const TOKEN_FIELDS = {
  name: { pointer: "/name", label: "Name", reads: "text", isRequired: true },
  kind: { pointer: "/kind", label: "Kind", reads: "text" },
  role: { pointer: "/role", label: "Role", reads: "text" },
  node: { pointer: "/node", label: "Node", reads: "text", isRequired: true },
  note: { pointer: "/note", label: "Note (optional)", reads: "text" },
  days: { pointer: "/expires_in_days", label: "Days (optional)", reads: "optional number" },
} as const satisfies FieldTable<string>;

export const WEBHOOK_FIELDS = {
  name: { pointer: "/name", label: "Name", reads: "text", isRequired: true },
  url: { pointer: "/url", label: "URL", reads: "text", isRequired: true },
  events: { pointer: "/events", label: "Events", reads: "text" },
} as const satisfies FieldTable<string>;

export const SCHEDULE_FIELDS = {
  name: { pointer: "/name", label: "Name", reads: "text", isRequired: true },
  cron: { pointer: "/cron", label: "Cron expression", reads: "text" },
  timezone: { pointer: "/timezone", label: "Time zone", reads: "text" },
  overlap: { pointer: "/overlap", label: "If its last job has not ended", reads: "text" },
  job: { pointer: "/job", label: "Job to repeat", reads: "optional whole number" },
  spec: { pointer: "/spec", label: "Specification", reads: "JSON" },
  drain: { pointer: "/drain_on_blame", label: "Drain blamed nodes, up to this percentage of all nodes (optional)", reads: "optional number" },
} as const satisfies FieldTable<string>;

/** Problems that the form itself finds in its visible fields; a job's number stands for its specification. */
export function unreadableTexts<F extends string>(table: FieldTable<F>, texts: Readonly<Record<string, string>>): Problems {
  const hidden = Object.keys(table).filter((field) => !(field in texts) || (field === "spec" && texts.job));
  return unreadable(table, texts as Form<F>, hidden);
}

/** The server's problems by field; `other` belong to no field. Problems inside a specification name their field in it. */
export function refusedTexts<F extends string>(table: FieldTable<F>, found: readonly FieldProblem[]): { fields: Problems; other: string[] } {
  const inside = found.filter(({ pointer }) => pointer.startsWith("/spec/"));
  const { fields, other } = problemsAt(table, found.filter((problem) => !inside.includes(problem)));
  const sentences = inside.map(({ detail }) => detail.replace(/^spec\./, "")).join(" ");
  return { fields: sentences ? { ...fields, spec: sentences } : fields, other };
}
