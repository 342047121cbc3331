import { expect, it } from "vitest";
import { aNode, aScript, aTraining } from "../testing/fixtures";
import { beforeSteps, nodeLook, stateSentence } from "./state";

it.each([
  ["queued", "Job 7 is queued."],
  ["running", "Job 7 is running."],
  ["succeeded", "Job 7 has succeeded."],
  ["failed", "Job 7 has failed."],
  ["cancelled", "Job 7 was cancelled."],
] as const)("says of a job that is %s: %s", (state, sentence) => expect(stateSentence(7, state)).toBe(sentence));

it("says what the ranks do before the first step", () => {
  const { spec } = aTraining();
  const { training } = spec;
  if (!training) throw new Error("It trains.");
  expect(beforeSteps({ spec })).toBe("The ranks load PyTorch and the data; this takes up to a minute the first time.");
  expect(beforeSteps({ spec: { ...spec, training: { ...training, strategy: "tf_mirrored" } } })).toContain("load TensorFlow and the data");
  expect(beforeSteps(aScript())).toBe("The ranks run; no step was reported yet.");
});

it("calls a node drained once nothing runs there", () => {
  expect(nodeLook(aNode({ desired: "drain", slots_busy: 1 })).text).toBe("draining");
  expect(nodeLook(aNode({ desired: "drain" })).text).toBe("drained");
});
