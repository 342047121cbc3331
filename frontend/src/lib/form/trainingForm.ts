/** The form of a training job: its fields by their names in the specification. */
import type { Engine, JobSpec } from "../../api/types";
import { isOwn } from "./ownModel";
import { specToForm } from "./specForm";
import type { Form, Problems, FieldTable } from "./types";

export const TRAINING_FIELDS = {
  model: { pointer: "/training/model", label: "Model", reads: "model" },
  model_arguments: { pointer: "/training/model_arguments", label: "Sizes of the model", reads: "sizes by name" },
  dataset: { pointer: "/training/dataset/name", label: "Dataset", reads: "text" },
  file: { pointer: "/training/dataset/file", label: "Python file", reads: "optional text", isRequired: true },
  reader: { pointer: "/training/dataset/load", label: "Function", reads: "text" },
  workers: { pointer: "/training/dataset/workers", label: "Reading processes", reads: "whole number" },
  prefetch: { pointer: "/training/dataset/prefetch", label: "Batches ahead", reads: "whole number" },
  path: { pointer: "/training/dataset/path", label: "Folder", reads: "optional text", isRequired: true },
  samples: { pointer: "/training/dataset/samples", label: "Samples", reads: "optional whole number" },
  strategy: { pointer: "/training/strategy", label: "Strategy", reads: "text" },
  all_reduce: { pointer: "/training/all_reduce", label: "Gradients summed by", reads: "text" },
  servers: { pointer: "/training/servers", label: "Servers", reads: "whole number" },
  consistency: { pointer: "/training/consistency", label: "Consistency", reads: "text" },
  staleness: { pointer: "/training/staleness", label: "Staleness", reads: "optional whole number" },
  sync_every: { pointer: "/training/sync_every", label: "Average every", reads: "whole number" },
  outer_momentum: { pointer: "/training/outer_momentum", label: "Outer momentum", reads: "number" },
  outer_learning_rate: { pointer: "/training/outer_learning_rate", label: "Outer learning rate", reads: "number" },
  weights: { pointer: "/training/weights", label: "Weights", reads: "text" },
  split: { pointer: "/training/split", label: "Samples of a rank", reads: "text" },
  stages: { pointer: "/training/stages", label: "Stages", reads: "whole number" },
  micro_batches: { pointer: "/training/micro_batches", label: "Micro-batches", reads: "whole number" },
  schedule: { pointer: "/training/schedule", label: "Schedule", reads: "text" },
  ranks: { pointer: "/placement/ranks", label: "Ranks", reads: "whole number" },
  min_ranks: { pointer: "/placement/min_ranks", label: "Fewest ranks", reads: "optional whole number" },
  nodes: { pointer: "/placement/nodes", label: "Nodes", reads: "optional whole number" },
  selector: { pointer: "/placement/selector", label: "Nodes with labels", reads: "labels" },
  name: { pointer: "/name", label: "Name (optional)", reads: "text" },
  global_batch_size: { pointer: "/training/global_batch_size", label: "Batch", reads: "whole number" },
  epochs: { pointer: "/training/epochs", label: "Epochs", reads: "whole number" },
  optimizer: { pointer: "/training/optimizer", label: "Optimizer", reads: "text" },
  learning_rate: { pointer: "/training/learning_rate", label: "Learning rate", reads: "number" },
  target_accuracy: { pointer: "/training/target_accuracy", label: "Target accuracy", reads: "optional number" },
  limit: { pointer: "/time_limit_seconds", label: "Time limit", reads: "whole number" },
  start: { pointer: "/start_seconds", label: "Start limit", reads: "optional whole number" },
  load: { pointer: "/load_seconds", label: "Loading limit", reads: "whole number" },
  hang: { pointer: "/hang_seconds", label: "Hang limit", reads: "optional whole number" },
  env: { pointer: "/env", label: "Environment variables", reads: "variables" },
  priority: { pointer: "/priority", label: "Priority", reads: "whole number" },
  precision: { pointer: "/training/precision", label: "Precision", reads: "text" },
  compile: { pointer: "/training/compile", label: "Compile", reads: "flag" },
  accumulation_steps: { pointer: "/training/accumulation_steps", label: "Accumulation", reads: "whole number" },
  batch_split: { pointer: "/training/batch_split", label: "Batch split", reads: "text" },
  clip_norm: { pointer: "/training/clip_norm", label: "Clipping", reads: "optional number" },
  bucket_bytes: { pointer: "/training/bucket_bytes", label: "Bucket", reads: "size" },
  overlap: { pointer: "/training/overlap", label: "Overlap", reads: "flag" },
  compression: { pointer: "/training/compression", label: "Compression", reads: "text" },
  top_k_percent: { pointer: "/training/top_k_percent", label: "Top k (%)", reads: "number" },
  powersgd_rank: { pointer: "/training/powersgd_rank", label: "Rank of PowerSGD", reads: "whole number" },
  transport: { pointer: "/training/transport", label: "Transport", reads: "text" },
  device: { pointer: "/training/device", label: "Device", reads: "text" },
  momentum: { pointer: "/training/momentum", label: "Momentum", reads: "number" },
  weight_decay: { pointer: "/training/weight_decay", label: "Weight decay", reads: "number" },
  max_steps: { pointer: "/training/max_steps", label: "Most steps", reads: "optional whole number" },
  validation_percent: { pointer: "/training/dataset/validation_percent", label: "Held out (%)", reads: "whole number" },
  checkpoint_every_steps: { pointer: "/training/checkpoint_every_steps", label: "Checkpoint every", reads: "optional whole number" },
  resume_from: { pointer: "/training/resume_from", label: "Resume from", reads: "optional whole number" },
  verify_every: { pointer: "/training/verify_every", label: "Compare sums every", reads: "optional whole number" },
  on_nan: { pointer: "/training/on_nan", label: "Gradient not finite", reads: "text" },
  seed: { pointer: "/training/seed", label: "Seed", reads: "whole number" },
  timeout: { pointer: "/training/timeout_seconds", label: "Timeout", reads: "whole number" },
} as const satisfies FieldTable<string>;

export type TrainingField = keyof typeof TRAINING_FIELDS;
export type TrainingForm = Form<TrainingField>;
type Choices = Engine["training"];

/** Rarely needed fields: shown on demand, and if one of them differs from the default or was refused. */
export const GRADIENT_FIELDS: readonly TrainingField[] = [
  "compile", "accumulation_steps", "batch_split", "clip_norm", "bucket_bytes", "overlap", "compression", "top_k_percent",
  "powersgd_rank", "transport", "device",
];
export const FINER_FIELDS: readonly TrainingField[] = [
  "momentum", "weight_decay", "max_steps", "validation_percent", "checkpoint_every_steps", "resume_from", "verify_every", "on_nan", "seed", "timeout",
  "start", "load", "hang", "env",
];
/** Fields beside the strategy that only some strategies use. */
export const STRATEGY_FIELDS: readonly TrainingField[] = [
  "servers", "consistency", "staleness", "sync_every", "split", "weights", "outer_momentum", "outer_learning_rate",
  "stages", "micro_batches", "schedule",
];

/** The fields of the model and the dataset, which a strategy search has, too. */
export type SampleField = "model" | "model_arguments" | "dataset" | "file" | "reader" | "workers" | "prefetch" | "path" | "samples";

/** Fields that only an own dataset has. */
const OWN_FIELDS: readonly SampleField[] = ["file", "reader", "workers", "prefetch"];

const FOLDERS: ReadonlySet<string> = new Set(["cifar10", "text"]);

/** The form of the default job. */
export function standardTraining({ defaults, one_node }: Choices): TrainingForm {
  return trainingForm(defaults, one_node);
}

/** The form of a job. It does not show that a strategy stays on one node. */
export function trainingForm(spec: JobSpec, oneNode: readonly string[]): TrainingForm {
  const form = specToForm(TRAINING_FIELDS, spec);
  return oneNode.includes(form.strategy) ? { ...form, nodes: "" } : form;
}

/** The form after a change of one field: fields that only its old value needed return to the default. */
export function changedTraining(form: TrainingForm, field: TrainingField, value: string, choices: Choices): Partial<TrainingForm> {
  if (field === "model") return changedModel(form, value);
  if (field === "dataset") return changedDataset(form, value, standardTraining(choices));
  if (field === "strategy") {
    const unused = (Object.keys(form) as TrainingField[]).filter((name) => !isUsed(name, value, choices));
    return { strategy: value, nodes: "", ...standardsOf(unused, choices) };
  }
  if (field === "consistency") return { consistency: value, staleness: value === "ssp" ? form.staleness : "" };
  return { [field]: value };
}

/** The fields of the model after another one was chosen. */
export function changedModel(form: Form<SampleField>, model: string): Partial<Form<SampleField>> {
  return { model, model_arguments: isOwn(form.model) && isOwn(model) ? form.model_arguments : "" };
}

/** The fields of the dataset after another one was chosen. */
export function changedDataset(form: Form<SampleField>, dataset: string, standard: Form<SampleField>): Partial<Form<SampleField>> {
  const ofOwn = Object.fromEntries(OWN_FIELDS.map((field) => [field, standard[field]]));
  return { dataset, path: FOLDERS.has(dataset) ? form.path : "", samples: "", ...ofOwn };
}

/** Whether the strategy uses the field. */
export function isUsed(field: TrainingField, strategy: string, { own_fields: own }: Choices): boolean {
  return (own[field] as readonly string[] | undefined)?.includes(strategy) ?? true;
}

/** Whether the dataset is read from a folder on every node. */
export function needsFolder({ dataset }: { dataset: string }): boolean {
  return FOLDERS.has(dataset);
}

/** Whether one of the fields differs from the default or was refused, so that it must be visible. */
export function isTold<F extends string>(fields: readonly F[], form: Form<F>, standard: Form<F>, problems: Problems): boolean {
  return fields.some((field) => form[field] !== standard[field] || problems[field] !== undefined);
}

function standardsOf(fields: readonly TrainingField[], choices: Choices): Partial<TrainingForm> {
  const standard = standardTraining(choices);
  return Object.fromEntries(fields.map((field) => [field, standard[field]]));
}
