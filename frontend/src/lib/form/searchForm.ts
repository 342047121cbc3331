/** The form of a strategy search. */
import type { Engine, JobSpec } from "../../api/types";
import { listOf } from "./form";
import { specToForm } from "./specForm";
import { changedDataset, changedModel } from "./trainingForm";
import type { Form, FieldTable } from "./types";

export const SEARCH_FIELDS = {
  model: { pointer: "/strategy_search/model", label: "Model", reads: "model" },
  model_arguments: { pointer: "/strategy_search/model_arguments", label: "Sizes of the model", reads: "sizes by name" },
  dataset: { pointer: "/strategy_search/dataset/name", label: "Dataset", reads: "text" },
  file: { pointer: "/strategy_search/dataset/file", label: "Python file", reads: "optional text" },
  reader: { pointer: "/strategy_search/dataset/load", label: "Function", reads: "text" },
  workers: { pointer: "/strategy_search/dataset/workers", label: "Reading processes", reads: "whole number" },
  prefetch: { pointer: "/strategy_search/dataset/prefetch", label: "Batches ahead", reads: "whole number" },
  path: { pointer: "/strategy_search/dataset/path", label: "Folder", reads: "optional text" },
  samples: { pointer: "/strategy_search/dataset/samples", label: "Samples", reads: "optional whole number" },
  strategies: { pointer: "/strategy_search/strategies", label: "Candidates", reads: "names" },
  ranks: { pointer: "/placement/ranks", label: "Ranks", reads: "whole number" },
  nodes: { pointer: "/placement/nodes", label: "Nodes", reads: "optional whole number" },
  budget: { pointer: "/strategy_search/budget_seconds", label: "Budget", reads: "whole number" },
  target_accuracy: { pointer: "/strategy_search/target_accuracy", label: "Target accuracy", reads: "optional number" },
  selector: { pointer: "/placement/selector", label: "Nodes with labels", reads: "labels" },
  name: { pointer: "/name", label: "Name (optional)", reads: "text" },
  global_batch_size: { pointer: "/strategy_search/global_batch_size", label: "Batch", reads: "whole number" },
  optimizer: { pointer: "/strategy_search/optimizer", label: "Optimizer", reads: "text" },
  learning_rate: { pointer: "/strategy_search/learning_rate", label: "Learning rate", reads: "number" },
  precision: { pointer: "/strategy_search/precision", label: "Precision", reads: "text" },
  limit: { pointer: "/time_limit_seconds", label: "Time limit", reads: "whole number" },
  priority: { pointer: "/priority", label: "Priority", reads: "whole number" },
  momentum: { pointer: "/strategy_search/momentum", label: "Momentum", reads: "number" },
  validation_percent: { pointer: "/strategy_search/dataset/validation_percent", label: "Held out (%)", reads: "whole number" },
  seed: { pointer: "/strategy_search/seed", label: "Seed", reads: "whole number" },
  start: { pointer: "/start_seconds", label: "Start limit", reads: "optional whole number" },
  load: { pointer: "/load_seconds", label: "Loading limit", reads: "whole number" },
  hang: { pointer: "/hang_seconds", label: "Hang limit", reads: "optional whole number" },
  env: { pointer: "/env", label: "Environment variables", reads: "variables" },
} as const satisfies FieldTable<string>;

export type SearchField = keyof typeof SEARCH_FIELDS;
export type SearchForm = Form<SearchField>;
export type CandidateChoice = Engine["strategy_search"]["candidates"][number];

/** Rarely needed fields: shown on demand, and if one of them differs from the default or was refused. */
export const FINER_SEARCH_FIELDS: readonly SearchField[] = ["momentum", "validation_percent", "seed", "start", "load", "hang", "env"];

const ALL = "all";

export function searchForm(spec: JobSpec): SearchForm {
  return specToForm(SEARCH_FIELDS, spec);
}

/** The form after a change of one field; the time limit follows the budget as long as it is the usual one. */
export function changedSearch(form: SearchForm, field: SearchField, value: string, standard: SearchForm): Partial<SearchForm> {
  if (field === "model") return changedModel(form, value);
  if (field === "dataset") return changedDataset(form, value, standard);
  if (field !== "budget") return { [field]: value };
  const extra = Number(standard.limit) - 2 * Number(standard.budget);
  const isUsual = Number(form.limit) === 2 * Number(form.budget) + extra;
  return { budget: value, ...(isUsual && /^\d+$/.test(value) && { limit: String(2 * Number(value) + extra) }) };
}

/** The candidates that a text names: by their names, by their strategies, or all; unknown names are left out. */
export function chosenCandidates(text: string, candidates: readonly CandidateChoice[]): string[] {
  const asked = listOf(text);
  return candidates.filter(({ name, strategy }) => asked.some((word) => word === ALL || word === name || word === strategy)).map(({ name }) => name);
}

/** The text that names these candidates. */
export function candidatesText(names: readonly string[], candidates: readonly CandidateChoice[]): string {
  const known = candidates.map(({ name }) => name);
  return known.every((name) => names.includes(name)) ? ALL : known.filter((name) => names.includes(name)).join(",");
}

/** How a candidate differs from the defaults: "bucket_bytes 1048576"; its strategy if it differs by nothing else. */
export function candidateWords({ strategy, options }: CandidateChoice): string {
  const parts = Object.entries(options).map(([field, value]) => `${field} ${String(value)}`);
  return [strategy, ...parts].join(", ");
}
