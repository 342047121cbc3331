/** States as glyph, word and tone: never colour alone. */
import type { AlgorithmBest, BenchmarkJob, JobSpec, JobState, JobView, MeasurementView, NodeView } from "../api/types";
import { COLLECTIVES } from "./collectives";
import { nonDefault } from "./mode";
import { formatRate, percent, threeDigits } from "./format";
import { datasetText, modelText } from "./model";

export type Tone = "waiting" | "busy" | "good" | "bad" | "warn";

export interface StateLook {
  glyph: string;
  text: string;
  tone: Tone;
}

export const JOB_STATES: Record<JobState, StateLook> = {
  held: { glyph: "‖", text: "held", tone: "waiting" },
  queued: { glyph: "○", text: "queued", tone: "waiting" },
  starting: { glyph: "◔", text: "starting", tone: "busy" },
  running: { glyph: "◐", text: "running", tone: "busy" },
  stopping: { glyph: "◕", text: "stopping", tone: "busy" },
  succeeded: { glyph: "✓", text: "succeeded", tone: "good" },
  failed: { glyph: "✕", text: "failed", tone: "bad" },
  cancelled: { glyph: "⊘", text: "cancelled", tone: "waiting" },
};

/** "Job 7 has failed." */
export function stateSentence(id: number, state: JobState): string {
  const verb = state === "succeeded" || state === "failed" ? "has" : state === "cancelled" ? "was" : "is";
  return `Job ${id} ${verb} ${JOB_STATES[state].text}.`;
}

const TERMINAL: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);
const ACTIVE: ReadonlySet<string> = new Set(["starting", "running", "stopping"]);

/** Whether the job will never change again. */
export function isTerminal(state: JobState): boolean {
  return TERMINAL.has(state);
}

/** Whether a gang exists for the job right now. */
export function isActive(state: JobState): boolean {
  return ACTIVE.has(state);
}

/** A node's desired and observed state in one word. */
export function nodeLook(node: NodeView): StateLook {
  if (node.observed === "lost") return { glyph: "⚠", text: "lost", tone: "warn" };
  if (node.desired === "drain") return { glyph: "⏏", text: node.slots_busy > 0 ? "draining" : "drained", tone: "waiting" };
  if (node.observed === "degraded") return { glyph: "⚠", text: "degraded", tone: "warn" };
  return { glyph: "✓", text: "ready", tone: "good" };
}

/** Whether the job is a sweep; the others train, or run a script. */
export function isBenchmark(job: JobView): job is BenchmarkJob {
  return job.spec.benchmark != null;
}

/** The result in a sentence; empty before there is one. */
export function outcome(job: JobView): string {
  const { summary } = job;
  if (summary.kind === "benchmark" || summary.verdict) return summary.verdict ?? "";
  const { loss, samples_per_second: rate, validation_accuracy: accuracy } = summary;
  if (!summary.steps_done) return "";
  const words = [
    ...(accuracy == null ? [] : [`accuracy ${percent(accuracy)}`]),
    ...(summary.is_diverged ? ["loss diverged"] : loss == null ? [] : [`loss ${threeDigits(loss)}`]),
    ...(rate == null ? [] : [`${formatRate(rate)} samples/s`]),
  ].join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the ranks do until they report the first step, in a sentence. */
export function beforeSteps({ spec: { training, strategy_search: search } }: Pick<JobView, "spec">): string {
  if (!training && !search) return "The ranks run; no step was reported yet.";
  const library = training?.strategy.startsWith("tf_") ? "TensorFlow" : "PyTorch";
  return `The ranks load ${library} and the data; this takes up to a minute the first time.`;
}

/** The best bus bandwidth of any algorithm of the job in 1e9 bytes/s, or null before there is a row. */
export function bestBusbw(job: JobView): number | null {
  return isBenchmark(job) ? (job.summary.best[0]?.busbw_gb_per_s ?? null) : null;
}

/** What disturbed the newest attempt, in a sentence, or any attempt of training, whose results cover all; empty if nothing did. */
export function disturbance({ attempts, kind }: Pick<JobView, "attempts" | "kind">): string {
  const counted = kind === "benchmark" ? attempts.slice(-1) : attempts;
  return counted.findLast((attempt) => attempt.disturbed_by)?.disturbed_by ?? "";
}

/** Whether another tool measured the job: it had no attempt here. */
export function isImported(job: JobView): boolean {
  return job.kind === "imported";
}

/** Whether another tool measured the job, and nobody said that it counts as a run of this cluster. */
export function isForeign(job: JobView): boolean {
  return isImported(job) && !job.is_adopted;
}

/** The value that may count as a best: of a succeeded job in the default mode, with nothing else on its nodes; null: none. */
export function heldUp(job: JobView): AlgorithmBest | null {
  if (job.state !== "succeeded" || !isBenchmark(job) || isForeign(job) || disturbance(job) || nonDefault(job.spec).length > 0) return null;
  return job.summary.best.find(({ transport }) => transport !== "simulated") ?? null;
}

/** The job's name, or what is shown instead. */
export function jobTitle(job: JobView): string {
  return job.name || (isBenchmark(job) ? `${COLLECTIVES[job.spec.benchmark.collective].name} sweep` : workTitle(job));
}

/** The job's work in a few words. */
export function workTitle(job: JobView): string {
  const { training, script, strategy_search: search } = job.spec;
  if (isBenchmark(job)) return COLLECTIVES[job.spec.benchmark.collective].name;
  if (training) return `${modelText(training.model)} on ${datasetText(training.dataset)}`;
  if (search) return `strategies for ${modelText(search.model)} on ${datasetText(search.dataset)}`;
  if (job.spec.diagnosis) return job.spec.diagnosis.measure === "links" ? "links between nodes" : "diagnosis";
  return script?.file ?? job.kind;
}

/** The share of held-out samples that the model classifies correctly; null if there are none. */
export function accuracyOf(job: JobView): number | null {
  return job.summary.kind === "benchmark" ? null : (job.summary.validation_accuracy ?? null);
}

/** The prefix where no badge is possible: titles, tooltips, bars. */
export function simulatedPrefix(job: JobView): string {
  return isSimulated(job) ? "SIMULATED " : "";
}

/** "job 7" in a legend or a heading of a table, where no badge is possible. */
export function jobWord(job: JobView): string {
  return `${simulatedPrefix(job)}job ${job.id}`;
}

/** The job's title where no badge can be shown before it. */
export function jobName(job: JobView): string {
  return `${simulatedPrefix(job)}${jobTitle(job)}`;
}

/** Whether the job's numbers are the cost model's: its specification says so, or one of its rows. */
export function isSimulated(job: JobView, rows: readonly MeasurementView[] = []): boolean {
  return isBenchmark(job) && (asksForModel(job.spec) || rows.some((row) => row.transport === "simulated"));
}

/** Whether jobs of a specification measure nothing. */
export function asksForModel(spec: JobSpec): boolean {
  return spec.benchmark?.transport === "simulated";
}
