import { expect, it } from "vitest";
import { aNode } from "../testing/fixtures";
import { nodeLook, stateSentence } from "./state";

it.each([
  ["queued", "Job 7 is queued."],
  ["running", "Job 7 is running."],
  ["succeeded", "Job 7 has succeeded."],
  ["failed", "Job 7 has failed."],
  ["cancelled", "Job 7 was cancelled."],
] as const)("says of a job that is %s: %s", (state, sentence) => expect(stateSentence(7, state)).toBe(sentence));

it("calls a node drained once nothing runs there", () => {
  expect(nodeLook(aNode({ desired: "drain", slots_busy: 1 })).text).toBe("draining");
  expect(nodeLook(aNode({ desired: "drain" })).text).toBe("drained");
});
