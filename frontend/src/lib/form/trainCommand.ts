/** `ringscope train …` for a specification: only what differs from the default job. */
import type { JobSpec } from "../../api/types";
import { datasetText, modelText } from "../model";
import { shellQuote } from "../shell";
import { variableFlags } from "./variables";
import { valueAt } from "./specForm";

/** How a command names fields: pointers with a flag of their own, the others go by --set; `implied` are in its first words. */
export interface CommandFields {
  flags: Readonly<Record<string, string>>;
  implied: ReadonlySet<string>;
}

const FLAGS: Record<string, string> = {
  "/training/dataset/name": "--dataset",
  "/training/dataset/path": "--data-path",
  "/training/strategy": "--strategy",
  "/training/all_reduce": "--all-reduce",
  "/training/servers": "--servers",
  "/training/consistency": "--consistency",
  "/training/staleness": "--staleness",
  "/training/sync_every": "--sync-every",
  "/training/stages": "--stages",
  "/training/micro_batches": "--micro-batches",
  "/training/schedule": "--schedule",
  "/training/device": "--device",
  "/placement/ranks": "--ranks",
  "/placement/min_ranks": "--min-ranks",
  "/placement/nodes": "--nodes",
  "/training/epochs": "--epochs",
  "/training/global_batch_size": "--batch-size",
  "/training/learning_rate": "--learning-rate",
  "/training/optimizer": "--optimizer",
  "/training/precision": "--precision",
  "/training/target_accuracy": "--target-accuracy",
  "/training/resume_from": "--resume-from",
  "/name": "--name",
  "/priority": "--priority",
  "/time_limit_seconds": "--time-limit",
};
const PAIRS: Record<string, string> = { "/labels": "--label", "/placement/selector": "--selector" };
const FIELDS: CommandFields = {
  flags: FLAGS,
  implied: new Set(["/kind", "/training/model", "/training/dataset/file", "/training/dataset/load"]),
};

/** The command. `defaults` is a job with only its kind, `oneNode` are the strategies that stay on one node. */
export function trainCommand(spec: JobSpec, defaults: JobSpec, oneNode: readonly string[]): string {
  const isOnOneNode = oneNode.includes(String(valueAt(spec, "/training/strategy")));
  const { dataset } = spec.training ?? {};
  const named = dataset?.file == null ? spec : { ...spec, training: { ...spec.training, dataset: { ...dataset, name: datasetText(dataset) } } };
  const usual = { ...defaults, placement: { ...defaults.placement, nodes: isOnOneNode ? 1 : null } };
  const implied = isOnOneNode && spec.placement.nodes == null ? { ...spec.placement, nodes: 1 } : spec.placement;
  return ["ringscope", "train", modelText(spec.training?.model ?? "mlp"), ...flagWords({ ...named, placement: implied }, usual, FIELDS)].map(shellQuote).join(" ");
}

/** The flags for what differs from the usual job. */
export function flagWords(spec: object, usual: unknown, fields: CommandFields): string[] {
  const order = Object.keys(fields.flags);
  const rank = (pointer: string): number => (order.includes(pointer) ? order.indexOf(pointer) : order.length);
  return differences(spec, usual, "", fields)
    .sort(([a], [b]) => rank(a) - rank(b))
    .flatMap(([pointer, value]) => wordsOf(pointer, value, fields));
}

/** Pointers whose values are not the defaults. */
function differences(spec: object, usual: unknown, under: string, fields: CommandFields): [string, unknown][] {
  return Object.entries(spec).flatMap(([key, value]: [string, unknown]): [string, unknown][] => {
    const pointer = `${under}/${key}`;
    const before = valueAt(usual, `/${key}`);
    if (fields.implied.has(pointer) || JSON.stringify(value) === JSON.stringify(before)) return [];
    if (typeof value !== "object" || value === null || Array.isArray(value) || pointer in PAIRS || pointer === "/env") return [[pointer, value]];
    return differences(value, before, pointer, fields);
  });
}

function wordsOf(pointer: string, value: unknown, { flags }: CommandFields): string[] {
  if (pointer === "/env") return variableFlags(value as Record<string, string>);
  const pairs = PAIRS[pointer];
  if (pairs) return Object.entries(value as Record<string, string>).flatMap(([key, text]) => [pairs, `${key}=${text}`]);
  if (pointer === "/placement/node_names") return (value as string[]).flatMap((name) => ["--node", name]);
  const flag = flags[pointer];
  if (flag && Array.isArray(value)) return [flag, value.join(",")];
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return flag && value !== null ? [flag, text] : ["--set", `${pointer.slice(1).replaceAll("/", ".")}=${text}`];
}
