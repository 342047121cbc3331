/** The ranks' records of one operation as messages, with both ends of each put together. Pure. */
import type { OperationTrace, TraceRow } from "../../api/types";

/** One message; times are µs from the operation's start on the first rank. */
export interface TracedMove {
  step: number;
  phase: string;
  src: number;
  dst: number;
  /** The sender's chunks, and where they land at the receiver. */
  chunks: readonly number[];
  intoChunks: readonly number[];
  reduce: boolean;
  bytes: number;
  /** Since when the rank that moves the data had waited for it; null if that was not reported. */
  waitUs: number | null;
  startUs: number;
  arrivedUs: number;
  /** When adding begins; the same as endUs if nothing is added separately. */
  addingUs: number;
  endUs: number;
  /** The possible error of its times against those of other nodes' ranks; the whole operation if that is not known. */
  errorUs: number;
  values: null;
  predictedUs: number | null;
}

export interface TracedRun {
  ranks: number;
  /** The positions of each chunk in the buffer, in elements. */
  chunks: readonly (readonly [offset: number, length: number])[];
  /** Messages of each step that has any. */
  steps: readonly (readonly TracedMove[])[];
  timeUs: number;
  predictedUs: number | null;
  held: null;
}

/** A trace as the ring, the matrix and the lanes show it. */
export function runOfTrace(recorded: OperationTrace): TracedRun {
  const trace = withoutItself(recorded);
  const errors = errorsUs(trace);
  const steps = new Map<number, TracedMove[]>();
  for (const { sent, received } of messagesOf(trace.rows)) {
    const move = moveOf(sent, received, errors);
    if (move) steps.set(move.step, [...(steps.get(move.step) ?? []), move]);
  }
  return {
    ranks: trace.ranks.length,
    chunks: (trace.chunks ?? []).map(({ offset, length }) => [offset, length] as const),
    steps: [...steps.entries()].sort(([a], [b]) => a - b).map(([, moves]) => moves),
    timeUs: Math.max(0, ...trace.ranks.map((rank) => rank.ended_ns)) / 1e3,
    predictedUs: trace.prediction && trace.prediction.duration_ns / 1e3,
    held: null,
  };
}

/** A simulated trace without the model beside it, which would be the same. */
export function withoutItself(trace: OperationTrace): OperationTrace {
  if (trace.transport !== "simulated") return trace;
  return { ...trace, prediction: null, rows: trace.rows.map((row) => ({ ...row, predicted_ns: null })) };
}

/** The sender and the receiver, whichever of them reported the row. */
export function endsOf(row: TraceRow): { src: number; dst: number } {
  return row.is_send ? { src: row.rank, dst: row.peer } : { src: row.peer, dst: row.rank };
}

interface Message {
  sent: TraceRow | undefined;
  received: TraceRow | undefined;
}

/** One entry for each message, in the order in which its first end was reported. */
function messagesOf(rows: readonly TraceRow[]): Message[] {
  const found = new Map<string, Message>();
  for (const row of rows) {
    const { src, dst } = endsOf(row);
    const key = [row.step, src, dst, ...row.chunks].join(" ");
    const ends = found.get(key) ?? { sent: undefined, received: undefined };
    found.set(key, row.is_send ? { ...ends, sent: row } : { ...ends, received: row });
  }
  return [...found.values()];
}

function moveOf(sent: TraceRow | undefined, received: TraceRow | undefined, errors: ReadonlyMap<number, number>): TracedMove | null {
  const first = sent ?? received;
  const last = received ?? sent;
  if (!first || !last) return null;
  const { src, dst } = endsOf(last);
  const startNs = first.send_ns ?? first.start_ns;
  const isOnePass = last.recv_ns === null;
  return {
    step: last.step,
    phase: last.phase,
    src,
    dst,
    chunks: last.chunks,
    intoChunks: last.into,
    reduce: last.reduce,
    bytes: last.bytes,
    waitUs: sent && received ? null : first.start_ns / 1e3,
    startUs: startNs / 1e3,
    arrivedUs: (last.recv_ns ?? last.done_ns) / 1e3,
    addingUs: (isOnePass ? last.done_ns : (last.reduce_ns ?? last.done_ns)) / 1e3,
    endUs: last.done_ns / 1e3,
    errorUs: Math.max(errors.get(first.rank) ?? 0, errors.get(last.rank) ?? 0),
    values: null,
    predictedUs: last.predicted_ns === null ? null : last.predicted_ns / 1e3,
  };
}

/** The possible error of each rank's times against other nodes'; 0 if all ranks are on one node, which has one clock. */
function errorsUs({ ranks, duration_ns }: OperationTrace): Map<number, number> {
  const isOneNode = new Set(ranks.map((rank) => rank.node)).size < 2;
  return new Map(ranks.map(({ rank, clock_error_ns }) => [rank, isOneNode ? 0 : (clock_error_ns ?? duration_ns) / 1e3]));
}
