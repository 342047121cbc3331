import { expect, it } from "vitest";
import type { JobView } from "../../../api/types";
import { aJob, aNode } from "../../../testing/fixtures";
import { drainedFor, drainWords } from "./drained";

const { spec } = aJob();
const drained = aNode({ name: "a", desired: "drain", desired_by: "ada", desired_reason: "kernel update", labels: { rack: "1" } });

function names(change: Partial<JobView["spec"]["placement"]> = {}, reason = "slots", nodes = [drained, aNode({ name: "b" })]): string[] {
  const job = aJob({ state: "queued", pending: { reason, sentence: "" }, spec: { ...spec, placement: { ...spec.placement, ...change } } } as never);
  return drainedFor(job, nodes).map(({ name }) => name);
}

it("are those that a waiting job could use", () => {
  expect([names(), names({}, "no_node"), names({}, "shape")]).toEqual([["a"], ["a"], ["a"]]);
  expect([names({ node_names: ["a"] }), names({ node_names: ["b"] })]).toEqual([["a"], []]);
  expect([names({ selector: { rack: "1" } }), names({ selector: { rack: "2" } })]).toEqual([["a"], []]);
});

it("are none where another node would not help, or the node cannot be reached", () => {
  expect([names({}, "behind"), names({}, "user_cap"), names({}, "slots", [{ ...drained, observed: "lost" }])]).toEqual([[], [], []]);
  expect(drainedFor(aJob({ state: "running", pending: null }), [drained])).toEqual([]);
});

it("are said with the reason, and who gave it", () => {
  expect(drainWords(drained)).toBe("is drained and takes no job. ada: kernel update.");
  expect(drainWords(aNode({ desired: "drain", desired_by: "ada" }))).toBe("is drained by ada and takes no job.");
  expect(drainWords(aNode({ desired: "drain", desired_reason: "Broken fan." }))).toBe("is drained and takes no job. Reason: Broken fan.");
});
