/** The form of a training job: its fields by their names in the specification. */
import type { Engine, JobSpec } from "../api/types";
import { type Form, type Problems, specToForm, type Table } from "./specForm";

export const TRAINING_FIELDS = {
  model: { pointer: "/training/model", reads: "text" },
  model_arguments: { pointer: "/training/model_arguments", reads: "sizes by name" },
  dataset: { pointer: "/training/dataset/name", reads: "text" },
  path: { pointer: "/training/dataset/path", reads: "optional text" },
  samples: { pointer: "/training/dataset/samples", reads: "optional number" },
  strategy: { pointer: "/training/strategy", reads: "text" },
  all_reduce: { pointer: "/training/all_reduce", reads: "text" },
  servers: { pointer: "/training/servers", reads: "number" },
  consistency: { pointer: "/training/consistency", reads: "text" },
  staleness: { pointer: "/training/staleness", reads: "optional number" },
  ranks: { pointer: "/placement/ranks", reads: "number" },
  nodes: { pointer: "/placement/nodes", reads: "optional number" },
  name: { pointer: "/name", reads: "text" },
  global_batch_size: { pointer: "/training/global_batch_size", reads: "number" },
  epochs: { pointer: "/training/epochs", reads: "number" },
  optimizer: { pointer: "/training/optimizer", reads: "text" },
  learning_rate: { pointer: "/training/learning_rate", reads: "number" },
  target_accuracy: { pointer: "/training/target_accuracy", reads: "optional number" },
  limit: { pointer: "/time_limit_seconds", reads: "number" },
  priority: { pointer: "/priority", reads: "number" },
  precision: { pointer: "/training/precision", reads: "text" },
  accumulation_steps: { pointer: "/training/accumulation_steps", reads: "number" },
  batch_split: { pointer: "/training/batch_split", reads: "text" },
  clip_norm: { pointer: "/training/clip_norm", reads: "optional number" },
  bucket_bytes: { pointer: "/training/bucket_bytes", reads: "size" },
  overlap: { pointer: "/training/overlap", reads: "flag" },
  compression: { pointer: "/training/compression", reads: "text" },
  top_k_percent: { pointer: "/training/top_k_percent", reads: "number" },
  powersgd_rank: { pointer: "/training/powersgd_rank", reads: "number" },
  transport: { pointer: "/training/transport", reads: "text" },
  device: { pointer: "/training/device", reads: "text" },
  momentum: { pointer: "/training/momentum", reads: "number" },
  weight_decay: { pointer: "/training/weight_decay", reads: "number" },
  max_steps: { pointer: "/training/max_steps", reads: "optional number" },
  validation_percent: { pointer: "/training/dataset/validation_percent", reads: "number" },
  checkpoint_every_steps: { pointer: "/training/checkpoint_every_steps", reads: "optional number" },
  resume_from: { pointer: "/training/resume_from", reads: "optional number" },
  seed: { pointer: "/training/seed", reads: "number" },
  timeout: { pointer: "/training/timeout_seconds", reads: "number" },
} as const satisfies Table<string>;

export type TrainingField = keyof typeof TRAINING_FIELDS;
export type TrainingForm = Form<TrainingField>;
type Choices = Engine["training"];

/** Fields that hardly anybody needs: shown on demand, and when one of them differs or was refused. */
export const GRADIENT_FIELDS: readonly TrainingField[] = [
  "accumulation_steps", "batch_split", "clip_norm", "bucket_bytes", "overlap", "compression", "top_k_percent",
  "powersgd_rank", "transport", "device",
];
export const FINER_FIELDS: readonly TrainingField[] = [
  "momentum", "weight_decay", "max_steps", "validation_percent", "checkpoint_every_steps", "resume_from", "seed", "timeout",
];
export const SERVER_FIELDS: readonly TrainingField[] = ["servers", "consistency", "staleness"];

const FOLDERS: ReadonlySet<string> = new Set(["cifar10", "text"]);

/** The form of the job that says nothing. */
export function standardTraining({ defaults, one_node }: Choices): TrainingForm {
  return trainingForm(defaults, one_node);
}

/** The form of a job. That a strategy stays on one node need not be said. */
export function trainingForm(spec: JobSpec, oneNode: readonly string[]): TrainingForm {
  const form = specToForm(TRAINING_FIELDS, spec);
  return oneNode.includes(form.strategy) ? { ...form, nodes: "" } : form;
}

/** What a field's new value makes of the form: what only the old value had a use for goes back to the standard. */
export function changedTraining(form: TrainingForm, field: TrainingField, value: string, choices: Choices): Partial<TrainingForm> {
  if (field === "model") return { model: value, model_arguments: "" };
  if (field === "dataset") return { dataset: value, path: FOLDERS.has(value) ? form.path : "", samples: "" };
  if (field === "strategy") {
    const hasServers = (choices.parameter_servers as string[]).includes(value);
    return { strategy: value, nodes: "", ...(hasServers ? {} : standardsOf(SERVER_FIELDS, choices)) };
  }
  if (field === "consistency") return { consistency: value, staleness: value === "ssp" ? form.staleness : "" };
  return { [field]: value };
}

/** Whether the dataset is read from a folder on every node. */
export function needsFolder({ dataset }: TrainingForm): boolean {
  return FOLDERS.has(dataset);
}

/** Whether one of the fields differs from the standard or was refused, so that it has to be seen. */
export function isTold<F extends string>(fields: readonly F[], form: Form<F>, standard: Form<F>, problems: Problems): boolean {
  return fields.some((field) => form[field] !== standard[field] || problems[field] !== undefined);
}

function standardsOf(fields: readonly TrainingField[], choices: Choices): Partial<TrainingForm> {
  const standard = standardTraining(choices);
  return Object.fromEntries(fields.map((field) => [field, standard[field]]));
}
