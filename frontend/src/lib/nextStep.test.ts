import { describe, expect, it } from "vitest";
import type { JobView } from "../api/types";
import { aJob, anAttempt, aTraining } from "../testing/fixtures";
import { nextStep, RUN_AGAIN } from "./nextStep";

const clear = { algorithm: "ring", in_place: false, min_bytes: 8, max_bytes: 64 };
const ended = aJob({ state: "succeeded", attempts: [anAttempt()] });

function withWinners(winners: (typeof clear)[]) {
  return { ...ended, summary: { ...ended.summary, winners } };
}

/** The same job with the longest limit that the server accepts. */
function nextTime<J extends JobView>(job: J): J {
  return { ...job, spec: { ...job.spec, time_limit_seconds: 7 * 86_400 } };
}

describe("the next step of a job", () => {
  it("is none before it has ended", () => {
    expect(nextStep(aJob({ state: "running" }))).toBeNull();
  });

  it("is to wait for quiet nodes after a disturbance, whoever won", () => {
    const disturbed = { ...withWinners([clear]), attempts: [anAttempt({ disturbed_by: "Other load took 76 %." })] };
    expect(nextStep(disturbed)).toEqual({ label: "Measure again when quiet", search: { from: String(ended.id), quiet: "on" } });
  });

  it("is more iterations where no algorithm wins out of place", () => {
    expect(nextStep(withWinners([]))?.search).toEqual({ from: String(ended.id), iterations: "100" });
    expect(nextStep(withWinners([{ ...clear, in_place: true }]))?.search.iterations).toBe("100");
    expect(nextStep(withWinners([clear]))?.label).toBe(RUN_AGAIN);
    const { benchmark } = ended.spec;
    const alone = { ...withWinners([]), spec: { ...ended.spec, benchmark: { ...benchmark, algorithms: ["ring" as const] } } };
    expect(nextStep(alone)?.label).toBe(RUN_AGAIN);
    const many = { ...withWinners([]), spec: { ...ended.spec, benchmark: { ...benchmark, iterations: 100 } } };
    expect(nextStep(many)?.label).toBe(RUN_AGAIN);
  });

  it("is not more iterations where the algorithms that tie send the same messages", () => {
    const summary = { ...ended.summary, same_messages: [["ring", "direct"]] };
    const { benchmark } = ended.spec;
    const of = (...algorithms: ("ring" | "direct" | "mpi")[]) => ({ ...ended, spec: { ...ended.spec, benchmark: { ...benchmark, algorithms } } });
    const tie = (...algorithms: string[]) => ({ algorithms, is_fastest: false, min_bytes: 8, max_bytes: 64, size_count: 4 });
    expect(nextStep({ ...of("ring", "direct"), summary })?.label).toBe(RUN_AGAIN);
    expect(nextStep({ ...of("ring", "direct", "mpi"), summary })?.search.iterations).toBe("100");
    const behind = { ...summary, results: [tie("direct", "ring")] };
    expect(nextStep({ ...of("ring", "direct", "mpi"), summary: behind })?.label, "mpi is beaten").toBe(RUN_AGAIN);
    const partly = { ...summary, results: [tie("direct", "ring"), tie("ring", "mpi")] };
    expect(nextStep({ ...of("ring", "direct", "mpi"), summary: partly })?.search.iterations).toBe("100");
  });

  it("is a longer limit after one that was too short, for any kind of job", () => {
    const late = aTraining({ state: "failed", reason: "start_timeout", message: "" });
    const attempts = [anAttempt({ start_limit_seconds: 90.5 })];
    expect(nextStep({ ...late, attempts })?.search.start).toBe("362");
    expect(nextStep({ ...late, spec: { ...late.spec, start_seconds: 20 } })?.search.start).toBe("80");
    expect(nextStep(late)?.label).toBe(RUN_AGAIN);
    const short = aTraining({ state: "failed", reason: "time_limit" });
    expect(nextStep(short)?.search.limit).toBe(String(4 * short.spec.time_limit_seconds));
    const longest = { ...short, spec: { ...short.spec, time_limit_seconds: 3 * 86_400 } };
    expect(nextStep(longest)?.search.limit).toBe(String(7 * 86_400));
    expect(nextStep(nextTime(longest))?.label).toBe(RUN_AGAIN);
    expect(nextStep(aTraining({ state: "failed", reason: "rank_exit" }))?.search).toEqual({ from: String(late.id) });
  });
});
