/** States as glyph, word and tone: never colour alone. */
import type { JobState, JobView, MeasurementView, NodeView } from "../api/types";
import { COLLECTIVES } from "./collectives";

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

/** A node as people want it and as it is, in one word. */
export function nodeLook(node: NodeView): StateLook {
  if (node.observed === "lost") return { glyph: "⚠", text: "lost", tone: "warn" };
  if (node.desired === "drain") return { glyph: "⏏", text: "draining", tone: "waiting" };
  if (node.observed === "degraded") return { glyph: "⚠", text: "degraded", tone: "warn" };
  return { glyph: "✓", text: "ready", tone: "good" };
}

/** The best bus bandwidth of any algorithm of the job in 1e9 bytes/s, or null before there is a row. */
export function bestBusbw(job: JobView): number | null {
  return job.summary.best[0]?.busbw_gb_per_s ?? null;
}

/** The job's name, or what stands in for it. */
export function jobTitle(job: JobView): string {
  return job.name || `${COLLECTIVES[job.spec.benchmark.collective].name} sweep`;
}

/** Whether the job's numbers are the cost model's: its specification says so, or one of its rows. */
export function isSimulated(job: JobView, rows: readonly MeasurementView[] = []): boolean {
  const transport: string = job.spec.benchmark.transport;
  return transport === "simulated" || rows.some((row) => row.transport === "simulated");
}
