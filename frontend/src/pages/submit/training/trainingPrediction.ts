/** The server's prediction for training, in words. */
import type { TrainingPrediction } from "../../../api/types";
import { formatCount, formatDuration, formatRate, plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";

type Item = readonly [name: string, text: string];

/** Names and values of what it would take. */
export function trainingItems(found: TrainingPrediction): Item[] {
  const { parameters, gradient_bytes: bytes, steps_total: steps, gradient_sum: sum, nodes } = found;
  return [
    ["Model", `${formatCount(parameters)} parameters, a gradient of ${formatSize(bytes)}`],
    ["Steps", steps === null ? "not known: only the nodes have the files" : formatCount(steps)],
    ...(sum
      ? [["Sum of a gradient", `about ${threeDigits(sum.time_us)} µs by ${sum.algorithm}${sum.pieces > 1 ? `, in ${plural(sum.pieces, "piece")}` : ""}`] as const]
      : []),
    ...(nodes.length === 0 ? [] : [["Nodes", nodes.map(({ node, ranks }) => `${node} (${plural(ranks, "rank")})`).join(", ")] as const]),
  ];
}

/** Where the sum's time comes from; null where none is told. */
export function sumWords({ gradient_sum: sum }: TrainingPrediction): string | null {
  return sum && `${sum.source} The part that overlaps with backward does not lengthen the step. This is a prediction, not a measurement.`;
}

/** How fast the newest job like it was, and what that makes of this one's steps. */
export function baselineWords({ samples_per_second: rate, steps_seconds: seconds }: NonNullable<TrainingPrediction["baseline"]>): string {
  const took = seconds === null ? "" : `: the steps of this one would take about ${formatDuration(seconds)}, with validation and checkpoints on top`;
  return `measured ${formatRate(rate)} samples/s for the same on as many ranks${took}.`;
}
