/**
 * A collective as messages, step by step: one kind of row for worked examples and for traced operations, so
 * that ring, matrix and lanes show either. Pure.
 */
import type { Example } from "../api/types";

/** One message. Times are µs from the start of the call. */
export interface Move {
  step: number;
  phase: string;
  src: number;
  dst: number;
  /** The sender's chunks, and where they land at the receiver. */
  chunks: readonly number[];
  intoChunks: readonly number[];
  /** Whether the receiver adds it to its own; else it replaces its own. */
  reduce: boolean;
  bytes: number;
  /** Since when the receiver had waited for it; null if that was not reported. */
  waitUs: number | null;
  startUs: number;
  arrivedUs: number;
  /** When adding begins; the same as endUs if nothing is added. */
  addingUs: number;
  endUs: number;
  /** The possible error of the clocks; 0 for the model's times. */
  errorUs: number;
  /** The numbers sent, if they are known. */
  values: readonly number[] | null;
  /** The cost model's time for this message, beside a measured one. */
  predictedUs: number | null;
}

export interface Run {
  ranks: number;
  /** The indices of each chunk in a rank's row of numbers. */
  chunks: readonly (readonly [offset: number, length: number])[];
  /** Messages of step 0, 1, …; those of one step are simultaneous. */
  steps: readonly (readonly Move[])[];
  timeUs: number;
  /** The cost model's time for the whole operation, beside a measured one. */
  predictedUs: number | null;
  /** What each rank holds before step 1 and after each step; null if numbers are not known. */
  held: readonly (readonly (readonly number[])[])[] | null;
}

/** A worked example as the page shows it. */
export function runOf({ example }: Example): Run {
  return {
    ranks: example.ranks,
    chunks: example.chunks.map(([offset, length]) => [offset, length] as const),
    steps: example.steps.map((step) =>
      step.moves.map((move): Move => ({
        step: move.step,
        phase: move.phase,
        src: move.src,
        dst: move.dst,
        chunks: move.chunks,
        intoChunks: move.into_chunks,
        reduce: move.reduce,
        bytes: move.size_bytes,
        waitUs: null,
        startUs: move.start_s * 1e6,
        arrivedUs: move.arrived_s * 1e6,
        addingUs: move.adding_s * 1e6,
        endUs: move.end_s * 1e6,
        errorUs: 0,
        values: move.values,
        predictedUs: null,
      })),
    ),
    timeUs: example.time_s * 1e6,
    predictedUs: null,
    held: [example.values, ...example.steps.map((step) => step.held)],
  };
}

export interface Phase {
  name: string;
  /** Steps from 1, including the last one. */
  first: number;
  last: number;
}

/** Runs of steps of one phase, in their order. */
export function phasesOf({ steps }: Run): Phase[] {
  const found: Phase[] = [];
  steps.forEach((moves, i) => {
    const name = moves[0]?.phase ?? "";
    const before = found.at(-1);
    if (before?.name === name) before.last = i + 1;
    else found.push({ name, first: i + 1, last: i + 1 });
  });
  return found;
}

/** The step where the previous (-1) or next (+1) phase ends: the target of a jump by phases. */
export function phaseJump(run: Run, step: number, direction: -1 | 1): number {
  const ends = [0, ...phasesOf(run).map((phase) => phase.last)];
  const beyond = direction > 0 ? ends.find((end) => end > step) : ends.findLast((end) => end < step);
  return beyond ?? step;
}

/** How many ranks' inputs each chunk of each rank contains after a number of steps: counts[rank][chunk]. */
export function contributions(run: Run, step: number): number[][] {
  let made = Array.from({ length: run.ranks }, (_, rank) => run.chunks.map(() => 1n << BigInt(rank)));
  for (const moves of run.steps.slice(0, step)) {
    const before = made;
    made = made.map((row) => [...row]);
    for (const move of moves) {
      move.chunks.forEach((chunk, i) => {
        const into = move.intoChunks[i] ?? chunk;
        const sent = before[move.src]?.[chunk] ?? 0n;
        const row = made[move.dst];
        if (row) row[into] = move.reduce ? (row[into] ?? 0n) | sent : sent;
      });
    }
  }
  return made.map((row) => row.map(ones));
}

function ones(mask: bigint): number {
  return mask.toString(2).replaceAll("0", "").length;
}

/** Whether a chunk has no element: a message with fewer elements than ranks has such chunks, and they are not sent. */
export function isEmpty(run: Run, chunk: number): boolean {
  return run.chunks[chunk]?.[1] === 0;
}

/** When a number of steps is over, in µs of the call. */
export function stepEndUs(run: Run, step: number): number {
  return Math.max(0, ...run.steps.slice(0, step).flatMap((moves) => moves.map((move) => move.endUs)));
}

/** The messages of the longest chain in which each waits for the previous one; for measured ones as exact as the clocks are. */
export function criticalPath(run: Run): Move[] {
  const all = run.steps.flat();
  let last = all.reduce<Move | null>((latest, move) => (move.endUs > (latest?.endUs ?? -1) ? move : latest), null);
  const path: Move[] = [];
  while (last) {
    const move: Move = last;
    path.unshift(move);
    last = all.reduce<Move | null>((best, one) => {
      const free = freeUs(one, move);
      if (one === move || free === null || one.startUs >= move.startUs || free > move.startUs + one.errorUs + move.errorUs + 1e-6) return best;
      return best === null || free > (freeUs(best, move) ?? 0) ? one : best;
    }, null);
  }
  return path;
}

/** When a message allowed another one to begin that reads what it wrote, or needs its port; null if they are unrelated. */
function freeUs(one: Move, next: Move): number | null {
  const writesWhatItReads = one.dst === next.src && one.intoChunks.some((chunk) => next.chunks.includes(chunk));
  if (writesWhatItReads) return one.endUs;
  return one.src === next.src || one.dst === next.dst ? one.arrivedUs : null;
}
