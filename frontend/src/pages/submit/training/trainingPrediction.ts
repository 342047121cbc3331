/** The server's prediction for training, in words. */
import type { TrainingPrediction } from "../../../api/types";
import { formatCount, formatDuration, formatRate, percent, plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";

type Item = readonly [name: string, text: string];

/** Names and values of the predicted cost. */
export function trainingItems(found: TrainingPrediction): Item[] {
  const { parameters, gradient_bytes: bytes, steps_total: steps, gradient_sum: sum, ideal_bubble: bubble, nodes } = found;
  return [
    ["Model", parameters === null || bytes === null ? "of your own: its parameters are counted when it is built" : `${formatCount(parameters)} parameters, a gradient of ${formatSize(bytes)}`],
    ["Steps", steps === null ? "not known: only the nodes have the files" : formatCount(steps)],
    ...(sum ? [[sum.of === "activations" ? "Sums of a step" : "One all-reduce", allReduceWords(sum)] as const] : []),
    ...(bubble == null ? [] : [["Pipeline", `each stage is idle for at least ${percent(bubble)} of a step`] as const]),
    ...(nodes.length === 0 ? [] : [["Nodes", nodes.map(({ node, ranks }) => `${node} (${plural(ranks, "rank")})`).join(", ")] as const]),
  ];
}

function allReduceWords({ time_us: time, algorithm, pieces, every_steps: steps }: NonNullable<TrainingPrediction["gradient_sum"]>): string {
  const often = steps === 1 ? "" : `, every ${steps} steps`;
  return `about ${threeDigits(time)} µs by ${algorithm}${pieces > 1 ? `, in ${plural(pieces, "piece")}` : ""}${often}`;
}

/** The source of the all-reduce's time; null if there is none. */
export function sumWords({ gradient_sum: sum }: TrainingPrediction): string | null {
  if (sum === null) return null;
  if (sum.of === "activations") return `${sum.source} A step waits for all of these sums. This is a prediction, not a measurement.`;
  const hidden = sum.every_steps === 1 ? " The part that overlaps with backward does not lengthen the step." : "";
  return `${sum.source}${hidden} This is a prediction, not a measurement.`;
}

/** The speed of the newest comparable job, and the resulting step time of this one. */
export function baselineWords({ samples_per_second: rate, steps_seconds: seconds }: NonNullable<TrainingPrediction["baseline"]>): string {
  const took = seconds === null ? "" : `: the steps of this one would take about ${formatDuration(seconds)}, with validation and checkpoints on top`;
  return `measured ${formatRate(rate)} samples/s for the same on as many ranks${took}.`;
}
