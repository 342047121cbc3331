/** A training job's specification in words. */
import type { JobSpec } from "../../../api/types";
import { percent, plural } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { datasetText, modelText } from "../../../lib/model";

type Training = NonNullable<JobSpec["training"]>;
type Item = readonly [name: string, text: string];

const SUMMED: Partial<Record<Training["strategy"], string>> = {
  local_sgd: "Parameters averaged by",
  tensor: "Activations summed by",
};

/** Names and values of the specification; finer options only if they differ from their defaults. */
export function trainingItems(training: Training): Item[] {
  const { dataset, model_arguments: sizes = {} } = training;
  const given = Object.entries(sizes).map(([name, size]) => `${name} ${size}`);
  return [
    ["Model", [modelText(training.model), ...given].join(", ")],
    ["Dataset", [datasetText(dataset), ...(dataset.path == null ? [] : [dataset.path])].join(", ")],
    ["Strategy", training.strategy],
    ...serverItems(training),
    ...localItems(training),
    ...pipelineItems(training),
    [SUMMED[training.strategy] ?? "Gradients summed by", training.all_reduce],
    ["Transport", training.transport],
    ["Device", training.device],
    ["Batch", `${plural(training.global_batch_size, "sample")} over all ranks`],
    ["Epochs", String(training.epochs)],
    ["Optimizer", `${training.optimizer}, learning rate ${training.learning_rate}`],
    ["Precision", training.precision],
    ["Buckets", `${formatSize(training.bucket_bytes, true)}${training.overlap ? "" : ", summed after backward"}`],
    ...finerItems(training),
  ];
}

function serverItems({ strategy, servers, consistency, staleness }: Training): Item[] {
  if (strategy !== "parameter_server" && strategy !== "tf_parameter_server") return [];
  const bound = staleness == null ? "" : `, at most ${plural(staleness, "step")} ahead`;
  return [["Servers", `${plural(servers, "rank")}, ${consistency}${bound}`]];
}

function localItems(training: Training): Item[] {
  if (training.strategy !== "local_sgd") return [];
  const { sync_every: steps, split, weights, outer_momentum: momentum, outer_learning_rate: rate } = training;
  return [
    ["Averages", `every ${plural(steps, "step")}, ${weights === "equal" ? "all ranks weigh the same" : "weighted by samples"}`],
    ...some(split === "by_label", ["Samples of a rank", "only those of its labels"]),
    ...some(momentum !== 0 || rate !== 1, ["Outer step", `learning rate ${rate}, momentum ${momentum}`]),
  ];
}

function pipelineItems({ strategy, stages, micro_batches: parts, schedule }: Training): Item[] {
  if (strategy !== "pipeline") return [];
  return [["Pipeline", `${plural(stages, "stage")}, ${parts} micro-batch${parts === 1 ? "" : "es"} by ${schedule}`]];
}

function finerItems(training: Training): Item[] {
  const { accumulation_steps: batches, clip_norm: norm, target_accuracy: target, resume_from: from } = training;
  return [
    ...some(training.compile, ["Compiled", "forward and backward, by torch.compile"]),
    ...some(batches > 1, ["Accumulation", `${batches} batches before a sum`]),
    ...some(training.batch_split === "speed", ["Batch split", "by the speed of each rank"]),
    ...some(training.compression !== "none", ["Compression", compressionText(training)]),
    ...some(norm != null, ["Clipping", `global norm at most ${norm}`]),
    ...some(training.verify_every != null, ["Sums compared", `every ${plural(training.verify_every ?? 1, "step")}`]),
    ...some(training.on_nan === "skip", ["Gradient not finite", "the step is skipped"]),
    ...some(target != null, ["Target", `${percent(target ?? 0)} of held-out samples`]),
    ...some(from != null, ["Resumed from", `job ${from}`]),
    ...some(training.max_steps != null, ["Most steps", String(training.max_steps)]),
    ...some(training.seed !== 0, ["Seed", String(training.seed)]),
  ];
}

function some(isTold: boolean, item: Item): Item[] {
  return isTold ? [item] : [];
}

function compressionText({ compression, top_k_percent: share, powersgd_rank: rank }: Training): string {
  if (compression === "top_k") return `top_k, ${share} % of the gradient`;
  return compression === "powersgd" ? `powersgd, rank ${rank}` : compression;
}
