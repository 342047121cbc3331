import { expect, it } from "vitest";
import { stateSentence } from "./state";

it.each([
  ["queued", "Job 7 is queued."],
  ["running", "Job 7 is running."],
  ["succeeded", "Job 7 has succeeded."],
  ["failed", "Job 7 has failed."],
  ["cancelled", "Job 7 was cancelled."],
] as const)("says of a job that is %s: %s", (state, sentence) => expect(stateSentence(7, state)).toBe(sentence));
