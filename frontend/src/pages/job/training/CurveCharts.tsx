import { useMemo } from "react";
import type { TrainingCurve } from "../../../api/types";
import type { Line } from "../../../lib/sweep/lines";
import { ChartPanel, panelsClass } from "../../../components/ChartPanel";
import {
  accuracyLine, attemptMarks, heldOutLine, lossLine, PART_NAMES, PARTS, rateLine, stackedSplit, stepRange,
} from "../../../lib/curve";
import { joined } from "../../../lib/sweep/lineColumns";
import { formatRate, plural, threeDigits } from "../../../lib/format";

const LOSS: readonly Line[] = [
  { name: "training", colour: "--curve-training" },
  { name: "held out", colour: "--curve-held-out", dash: [6, 3], hasPoints: true },
];
const ACCURACY: readonly Line[] = [{ name: "held out", colour: "--curve-held-out", dash: [6, 3], hasPoints: true }];
const RATE: readonly Line[] = [{ name: "all ranks", colour: "--curve-rate" }];
const SPLIT: readonly Line[] = PARTS.map((part) => ({ name: PART_NAMES[part], colour: `--part-${part}` }));
const SYNC = "training";

const stepWords = (step: number): string => `at step ${Math.round(step)}`;

/** Charts over the steps, whose cursors move together; a script has those of loss and accuracy if it reports them. */
export function CurveCharts({ curve, isScript }: { curve: TrainingCurve; isScript: boolean }) {
  const { points, epochs, steps_per_point: width } = curve;
  const columns = useMemo(
    () => ({
      loss: joined([lossLine(points), heldOutLine(epochs)]),
      accuracy: joined([accuracyLine(epochs)]),
      rate: joined([rateLine(points)]),
      split: stackedSplit(points),
    }),
    [points, epochs],
  );
  const marks = useMemo(() => attemptMarks(curve), [curve]);
  const shared = { xLabel: "steps", sync: SYNC, marks, xRange: stepRange(points), place: stepWords };
  const hasLoss = !isScript || epochs.length > 0 || points.some((point) => point.loss !== null);
  const hasAccuracy = !isScript || epochs.some((epoch) => epoch.validation_accuracy !== null);
  const means = width === 1 ? "Each point is a step." : `Each point is the mean of ${plural(width, "step")}.`;
  const joints = marks.length > 0 && " A vertical line marks where an attempt or a resumed job continued from a checkpoint.";
  return (
    <div className={panelsClass}>
      {hasLoss && (
        <ChartPanel {...shared} title="Loss" yLabel="loss" lines={LOSS} columns={columns.loss} format={threeDigits}>
          {means} Held-out loss at the ends of epochs.{joints}
        </ChartPanel>
      )}
      {hasAccuracy && (
        <ChartPanel {...shared} title="Accuracy" yLabel="%" yMax={100} lines={ACCURACY} columns={columns.accuracy} format={(value) => `${value.toFixed(1)} %`}>
          Accuracy on held-out samples at the ends of epochs.
        </ChartPanel>
      )}
      <ChartPanel {...shared} title="Throughput" yLabel="samples/s" lines={RATE} columns={columns.rate} format={(value) => `${formatRate(value)} samples/s`}>
        Samples of all ranks together, while they were in steps.
      </ChartPanel>
      <ChartPanel {...shared} title="Where a step’s time goes" yLabel="ms" isStack lines={SPLIT} columns={columns.split} format={(value) => `${threeDigits(value)} ms`}>
        Mean over the ranks; the bar is the whole step. Communication that overlaps with computation takes no extra time.
      </ChartPanel>
    </div>
  );
}
