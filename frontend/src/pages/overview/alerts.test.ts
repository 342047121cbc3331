import { expect, it } from "vitest";
import type { JobView } from "../../api/types";
import { alertsOf } from "./alerts";
import { aJob, aNode } from "../../testing/fixtures";

const insight: JobView["insights"][number] = {
  id: 5,
  attempt_id: 1,
  kind: "straggler",
  rank: 2,
  node: "n1",
  message: "Rank 2 is slow.",
  since: "2026-01-01T00:00:00Z",
  until: null,
};

it("is empty while all is well", () => expect(alertsOf([aNode()], [aJob()])).toEqual([]));

it("names every trouble of a node", () => {
  const node = aNode({ observed: "lost", observed_reason: "no word for 20 s.", desired: "drain", desired_reason: "new DIMM", desired_by: "ada", slots_quarantined: 2 });
  expect(alertsOf([node], []).map(({ look, text }) => `${look.text} ${text}`)).toEqual([
    "lost n1: no word for 20 s.",
    "draining n1: new DIMM (by ada)",
    "quarantine n1: 2 slots not proven free.",
  ]);
});

it("lists active problems of running jobs, and no earlier ones", () => {
  const over = { ...insight, id: 6, until: "2026-01-01T00:01:00Z" };
  expect(alertsOf([], [aJob({ id: 3, insights: [insight, over] })]).map(({ text, path }) => [text, path])).toEqual([
    ["job 3: Rank 2 is slow.", "/jobs/3"],
  ]);
  expect(alertsOf([], [aJob({ state: "failed", insights: [insight] })])).toEqual([]);
});
