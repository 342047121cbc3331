/** A training job's curve as columns for charts, and the parts of its steps. */
import type { CurvePart, CurvePoint, EpochView, TrainingCurve, TrainingSummary } from "../api/types";
import type { Columns, Point } from "./sweep/lineColumns";

/** The middle of a point's steps, in steps done. */
export function middle({ first_step, last_step }: CurvePoint): number {
  return (first_step + last_step + 1) / 2;
}

/** Loss of the training samples over steps; a gap if it was no finite number. */
export function lossLine(points: readonly CurvePoint[]): Point[] {
  return points.map((point) => [middle(point), point.loss]);
}

export function heldOutLine(epochs: readonly EpochView[]): Point[] {
  return inOrder(epochs).map((epoch) => [epoch.step, epoch.validation_loss]);
}

/** In percent. */
export function accuracyLine(epochs: readonly EpochView[]): Point[] {
  return inOrder(epochs).map(({ step, validation_accuracy: share }) => [step, share === null ? null : 100 * share]);
}

export function rateLine(points: readonly CurvePoint[]): Point[] {
  return points.map((point) => [middle(point), point.samples_per_second]);
}

/** By epoch: an epoch that was reported again has a later id than its successors. */
export function inOrder(epochs: readonly EpochView[]): EpochView[] {
  return [...epochs].sort((a, b) => a.epoch - b.epoch);
}

export type StepTimes = Pick<CurvePoint, "duration_us" | "compute_us" | "communication_us" | "exposed_us" | "input_us">;

/** The parts of a step's time in µs; together they are the whole step. */
export interface Split {
  /** Waiting for its samples. */
  input: number;
  /** Forward, backward and optimizer while no all-reduce was running. */
  compute: number;
  /** Computing while all-reduces were running. */
  hidden: number;
  /** Only waiting for all-reduces. */
  exposed: number;
  other: number;
}

export const PARTS = ["input", "compute", "hidden", "exposed", "other"] as const satisfies readonly (keyof Split)[];
export const PART_NAMES: Record<keyof Split, string> = {
  input: "waiting for samples",
  compute: "compute alone",
  hidden: "compute over communication",
  exposed: "waiting for sums",
  other: "other",
};

/** The parts of the mean step. Clocks are read one after another, so differences may come out just below zero. */
export function splitOf(point: StepTimes): Split {
  const exposed = Math.min(point.exposed_us, point.duration_us);
  const input = Math.min(point.input_us ?? 0, point.duration_us - exposed);
  const computing = Math.min(point.compute_us, point.duration_us - exposed - input);
  const hidden = Math.min(computing, Math.max(0, point.communication_us - point.exposed_us));
  return { input, compute: left(computing, hidden), hidden, exposed, other: left(point.duration_us - exposed - input, computing) };
}

/** The remainder of a time in µs; a rounding error counts as zero. */
function left(whole: number, part: number): number {
  const rest = whole - part;
  return rest > 1e-6 ? rest : 0;
}

/** Sums from the bottom up, in ms, as steps: each point holds from its first step to the next point. */
export function stackedSplit(points: readonly CurvePoint[]): Columns {
  const last = points.at(-1);
  const shown = last ? [...points, { ...last, first_step: last.last_step + 1 }] : [];
  const lines = PARTS.map((_, top) =>
    shown.map((point) => {
      const split = splitOf(point);
      return PARTS.slice(0, top + 1).reduce((sum, part) => sum + split[part], 0) / 1000;
    }),
  );
  return { x: shown.map((point) => point.first_step), lines };
}

/** The times of the mean step, of the same steps as the job's throughput; null before there is one. */
export function meanStep(summary: TrainingSummary): StepTimes | null {
  const { step_seconds: seconds, timed_steps: steps } = summary;
  if (seconds == null || !steps) return null;
  const mean = (total: number | null | undefined): number => ((total ?? 0) * 1e6) / steps;
  return {
    duration_us: mean(seconds),
    compute_us: mean(summary.compute_seconds),
    communication_us: mean(summary.communication_seconds),
    exposed_us: mean(summary.exposed_communication_seconds),
    input_us: mean(summary.input_seconds),
  };
}

/** From the beginning of the first step to the end of the last, so that charts side by side have the same axis. */
export function stepRange(points: readonly CurvePoint[]): [number, number] {
  return [points[0]?.first_step ?? 0, (points.at(-1)?.last_step ?? 0) + 1];
}

/** From 0 to the largest x of any of the columns. */
export function rangeOf(charts: readonly Columns[]): [number, number] {
  return [0, charts.reduce((most, { x }) => Math.max(most, x.at(-1) ?? 0), 0) || 1];
}

export interface Mark {
  x: number;
  label: string;
}

/** Where each attempt, or each job that was resumed, began to add to the curve; the first one needs no mark. */
export function attemptMarks({ attempts }: Pick<TrainingCurve, "attempts">): Mark[] {
  return attempts.slice(1).map((part, i) => ({ x: part.first_step, label: beginning(part, attempts[i]) }));
}

function beginning({ job_id, attempt }: CurvePart, before: CurvePart | undefined): string {
  return before && before.job_id !== job_id ? `job ${job_id}` : `attempt ${attempt}`;
}

/** Seconds in steps since the first one, at the middle of each point. */
export function secondsAt(points: readonly CurvePoint[]): number[] {
  let before = 0;
  return points.map((point) => {
    const took = ((point.last_step - point.first_step + 1) * point.duration_us) / 1e6;
    before += took;
    return before - took / 2;
  });
}
