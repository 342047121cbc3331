// @vitest-environment jsdom
import { expect, it } from "vitest";
import type { BenchmarkJob } from "../../../api/types";
import { aDiagnosisJob, aJob, aTraining } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { outcome } from "../../../lib/state";
import { Situation } from "./Situation";

it("says in the answer why an elastic job has fewer ranks, and when it may get more", async () => {
  const why = "Runs on 3 of 4 ranks since 12:04:10 UTC. Rank 2 on node n1 was killed by SIGKILL (9).";
  const shown = async (fewer_ranks: string) => {
    const page = await drawn(<Situation job={aTraining({ state: "running", fewer_ranks })} rows={[]} />, "/jobs/7", new Answers());
    return [...page.querySelectorAll("[aria-label=Outcome] p")].map(({ textContent }) => textContent);
  };
  expect(await shown(why)).toContain(why);
  expect((await shown("")).filter((text) => text.includes("of 4 ranks"))).toEqual([]);
});

it("says why a ratio of rounds is not that of the means", async () => {
  const titled = async (verdict: string) => {
    const job = aJob({ state: "succeeded", summary: { ...aJob().summary, verdict } as BenchmarkJob["summary"] });
    const page = await drawn(<Situation job={job} rows={[]} />, "/jobs/7", new Answers());
    return page.querySelector<HTMLElement>("[aria-label=Outcome] p")?.title ?? "";
  };
  const ratio = "At 1 MiB ring is 2 times as fast as mpi";
  expect(await titled(`${ratio} (median of 20 rounds; 95 %: 1.9 to 2.1).`)).toContain("a few slow iterations raise a mean");
  expect(await titled(`${ratio} (simulated).`)).toBe("");
});

it("says that medians decide only if an algorithm wins beside a better mean", async () => {
  const best = ["mpi", "ring"].map((algorithm) => ({
    algorithm, busbw_gb_per_s: 1, in_place: false, is_unstable: false, iterations: 20, size_bytes: 64, transport: "shared_memory",
  }));
  const shown = async (algorithm: string, min_bytes = 8) => {
    const winners = [{ algorithm, in_place: false, min_bytes, max_bytes: 128 }];
    const job = aJob({ state: "succeeded", summary: { ...aJob().summary, best, winners } as BenchmarkJob["summary"] });
    return (await drawn(<Situation job={job} rows={[]} />, "/jobs/7", new Answers())).textContent;
  };
  const note = "The figures are means; medians of rounds decide.";
  expect(await shown("ring")).toContain(note);
  expect(await shown("mpi")).not.toContain(note);
  expect(await shown("ring", 128)).not.toContain(note);
});

it("answers with the verdict of a diagnosis", async () => {
  const job = aDiagnosisJob();
  const page = await drawn(<Situation job={job} rows={undefined} />, "/jobs/7", new Answers());
  expect(page.querySelector("[aria-label=Outcome] p")?.textContent).toBe(`${outcome(job)} `);
});
