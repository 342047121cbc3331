// @vitest-environment jsdom
import { expect, it } from "vitest";
import { aTraining } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
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
