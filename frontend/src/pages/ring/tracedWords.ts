/** A traced operation in words and numbers with their units. */
import type { OperationTrace } from "../../api/types";
import { digits, formatSeconds } from "../../lib/amount";
import { percent, plural } from "../../lib/format";

/** The largest possible error between the clocks of several nodes; 0: there is one clock, null: not known. */
export function clockErrorNs({ ranks }: OperationTrace): number | null {
  const nodes = new Set(ranks.map((rank) => rank.node));
  if (nodes.size < 2) return 0;
  const errors = ranks.map((rank) => rank.clock_error_ns);
  return errors.some((error) => error === null) ? null : Math.max(...errors.map((error) => error ?? 0));
}

/** "12 µs", or that there can be no error. */
export function clocksInWords(trace: OperationTrace): { value: string; note: string } {
  const errorNs = clockErrorNs(trace);
  if (errorNs === 0) return { value: "one clock", note: "all ranks are on one node" };
  if (errorNs === null) return { value: "not known", note: "times of different nodes cannot be compared" };
  return { value: `±${formatSeconds(errorNs / 1e9)}`, note: "events of different nodes that are closer have no order" };
}

/** "2.3 % above the model": the measured time beside the predicted one. */
export function besideModel({ duration_ns: measured, prediction }: OperationTrace): string {
  if (prediction === null) return "the model has no price for it";
  const share = measured / prediction.duration_ns - 1;
  if (Math.abs(share) < 0.0005) return "as the model says";
  return share > 1 ? `${digits(share + 1)} times the model's` : `${percent(Math.abs(share))} ${share > 0 ? "above" : "below"} the model`;
}

/** The nodes that ranks were on: "3 ranks on n1", "4 ranks on 2 nodes". */
export function nodesInWords({ ranks }: OperationTrace): string {
  const nodes = [...new Set(ranks.map((rank) => rank.node))];
  return nodes.length === 1 ? `on ${nodes[0]}` : `on ${plural(nodes.length, "node")}: ${nodes.join(", ")}`;
}

/** The parts of the time, and how far it is from the model. */
export function durationNote(trace: OperationTrace): string {
  return trace.transport === "simulated" ? "of the cost model; nothing was measured" : `n=1, the slowest rank; ${besideModel(trace)}`;
}

/** Transfers that ranks did not report, as there were too many. */
export function leftOut({ ranks }: OperationTrace): number {
  return ranks.reduce((sum, rank) => sum + rank.left_out, 0);
}

/** What the lanes or their table show, and what is missing or cannot be compared. */
export function traceCaption(trace: OperationTrace): string {
  const isSimulated = trace.transport === "simulated";
  const what = isSimulated ? "One operation in the cost model's time; nothing was measured." : "One operation as its ranks measured it.";
  const clocks = areClocksApart(trace) ? " The clocks of the nodes differ so much that lanes of different nodes cannot be compared." : "";
  const missing = leftOut(trace) > 0 ? ` ${plural(leftOut(trace), "later transfer")} left out: there were too many.` : "";
  return `${what}${clocks}${missing}`;
}

/** How to read the lanes or their table. */
export function traceNotes(trace: OperationTrace, isTable: boolean): string {
  if (trace.transport === "simulated") return "";
  const model = trace.prediction ? ` ${isTable ? "Takes by the model" : "Dashed"}: what the cost model says, with parameters ${trace.prediction.parameters}.` : "";
  const hasWhiskers = clockErrorNs(trace) !== 0 && !areClocksApart(trace);
  const clocks = hasWhiskers ? ` ${isTable ? "± clocks" : "Whiskers"}: the error of the nodes’ clocks; events that are closer have no order.` : "";
  return `It ran in addition to the timed iterations, which are not traced.${model}${clocks}`;
}

/** Whether the error of the clocks is as long as the operation: whiskers would cover everything. */
function areClocksApart(trace: OperationTrace): boolean {
  const errorNs = clockErrorNs(trace);
  return errorNs === null || (errorNs > 0 && errorNs >= trace.duration_ns);
}
