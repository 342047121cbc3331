/** The form of a job that runs a Python file on the nodes. */
import type { JobSpec } from "../../api/types";
import type { Form, FieldTable } from "./types";

export const SCRIPT_FIELDS = {
  file: { pointer: "/script/file", label: "File", reads: "text", isRequired: true },
  arguments: { pointer: "/script/arguments", label: "Arguments", reads: "lines" },
  module: { pointer: "/script/as_module", label: "Run as a module, like python -m", reads: "flag" },
  folder: { pointer: "/script/folder", label: "Working folder (optional)", reads: "optional text" },
  noWatch: { pointer: "/script/no_watch", label: "Do not watch its steps and collectives", reads: "flag" },
  device: { pointer: "/script/device", label: "Device", reads: "text" },
  ranks: { pointer: "/placement/ranks", label: "Ranks", reads: "whole number" },
  nodes: { pointer: "/placement/nodes", label: "Nodes", reads: "optional whole number" },
  selector: { pointer: "/placement/selector", label: "Nodes with labels", reads: "labels" },
  name: { pointer: "/name", label: "Name (optional)", reads: "text" },
  limit: { pointer: "/time_limit_seconds", label: "Time limit", reads: "whole number" },
  start: { pointer: "/start_seconds", label: "Start limit", reads: "optional whole number" },
  load: { pointer: "/load_seconds", label: "Loading limit", reads: "whole number" },
  hang: { pointer: "/hang_seconds", label: "Hang limit", reads: "optional whole number" },
  env: { pointer: "/env", label: "Environment variables", reads: "variables" },
  priority: { pointer: "/priority", label: "Priority", reads: "whole number" },
} as const satisfies FieldTable<string>;

export type ScriptField = keyof typeof SCRIPT_FIELDS;
export type ScriptForm = Form<ScriptField>;

/** The job of an empty form; its placement and limits are the defaults of any job. */
export function emptyScript(defaults: JobSpec): JobSpec {
  const placement = { ...defaults.placement, nodes: null };
  return { ...defaults, kind: "script", training: null, placement, script: { file: "", arguments: [], as_module: false, no_watch: false, device: "auto" } };
}
