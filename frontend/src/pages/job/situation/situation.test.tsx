// @vitest-environment jsdom
import { expect, it } from "vitest";
import { aDiagnosisJob, aJob, aSimulation, aTraining } from "../../../testing/fixtures";
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

it("says beside the figures, which are means, that medians decide which algorithm is fastest", async () => {
  const results = [{ algorithms: ["ring"], is_fastest: true, min_bytes: 8, max_bytes: 64, size_count: 4 }];
  const shown = async (change: object) => {
    const job = aJob({ state: "succeeded", summary: { ...aJob().summary, results }, ...change });
    return (await drawn(<Situation job={job} rows={[]} />, "/jobs/7", new Answers())).textContent;
  };
  const note = "The figures are means; medians of rounds decide which is fastest.";
  expect(note.split(" ").length).toBeLessThanOrEqual(12);
  expect(await shown({})).toContain(note);
  expect(await shown({ spec: aSimulation() }), "the model has no rounds").not.toContain(note);
  expect(await shown({ summary: aJob().summary }), "nothing is called fastest").not.toContain(note);
});

it("answers with the verdict of a diagnosis", async () => {
  const job = aDiagnosisJob();
  const page = await drawn(<Situation job={job} rows={undefined} />, "/jobs/7", new Answers());
  expect(page.querySelector("[aria-label=Outcome] p")?.textContent).toBe(`${outcome(job)} `);
});
