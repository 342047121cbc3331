import { expect, it } from "vitest";
import { aDiagnosisJob, aJob, aScript, aSimulation, aTraining } from "../../testing/fixtures";
import { workWords } from "./work";

const { spec } = aJob();

it.each([
  [spec, "all-reduce 8 B – 64 MiB, 4 ranks"],
  [{ ...spec, benchmark: { ...spec.benchmark, min_bytes: 1 << 20, max_bytes: 1 << 20 }, placement: { ...spec.placement, ranks: 1 } }, "all-reduce 1 MiB, 1 rank"],
  [aSimulation(), "all-reduce 8 B – 64 MiB, 32 simulated ranks"],
  [{ ...aTraining().spec, placement: { ...spec.placement, min_ranks: 2 } }, /^mlp on digits, batch \d+, 2 – 4 ranks$/],
  [aScript().spec, "train.py, 4 ranks"],
  [aDiagnosisJob().spec, "diagnosis, 4 MiB, 4 ranks"],
])("says what a job does from its specification alone (case %#)", (wanted, words) => {
  expect(workWords(wanted)).toEqual(typeof words === "string" ? words : expect.stringMatching(words));
});
