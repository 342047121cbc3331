import { describe, expect, it } from "vitest";
import type { EpochView, TrainingSummary } from "../../api/types";
import { accuracies, baseOf, type Compared, comparedIds, comparisonOf, differingFields, lineOf, losses, MEASURES, MOST_JOBS, rates, ratio, sameFields, tooManyWords, warnings } from "./compare";
import { aBest, aJob, anAttempt, aTraining, PLAIN_TRAINING, trainingChoices } from "../../testing/fixtures";
import { aPoint } from "../../testing/resultFixtures";

function compared(change: Partial<TrainingSummary> = {}, target: number | null = null): Compared {
  const { spec, summary } = aTraining();
  const job = aTraining({ spec: { ...spec, training: { ...PLAIN_TRAINING, target_accuracy: target } } });
  const epochs = [{ epoch: 1, step: 10, duration_us: 2e6, validation_accuracy: 0.5 }] as EpochView[];
  return { job, summary: { ...(summary as TrainingSummary), ...change }, points: [aPoint({ duration_us: 1e6 })], epochs };
}

const measure = (name: string) => MEASURES.find((item) => item.name.startsWith(name)) ?? MEASURES[0];

describe("comparedIds", () => {
  it("takes each job once, in the order given, and not too many", () => {
    expect(comparedIds("3,1,3,x,-2,")).toEqual([3, 1]);
    expect(comparedIds(undefined)).toEqual([]);
    expect(comparedIds("1,2,3,4,5,6,7,8")).toHaveLength(MOST_JOBS);
  });
});

it("says which jobs an address names too many", () => {
  expect(tooManyWords("1,2,3,4,5,6,6,7,8")).toBe("Left out, because no more than 6 can be compared: job 7, 8.");
  expect([tooManyWords("1,2,3,4,5,6,6"), tooManyWords(undefined)]).toEqual(["", ""]);
});

it("has an address for as many jobs as can be compared, with the base job of the list", () => {
  expect(comparisonOf([3, 1], 1)).toEqual({ ids: "3,1", base: "1" });
  expect(comparisonOf([3, 1], 2)).toEqual({ ids: "2,3,1" });
  expect(comparisonOf([3, 1], null)).toEqual({ ids: "3,1" });
  expect(comparisonOf([1, 2, 3, 4, 5, 6], 7), "there is no room for it").toEqual({ ids: "1,2,3,4,5,6" });
  expect([comparisonOf([], null), comparisonOf([1, 2, 3, 4, 5, 6, 7], 1)]).toEqual([null, null]);
});

it("has one base job, the given one or the first", () => {
  expect([baseOf([3, 1], "1"), baseOf([3, 1], 1), baseOf([3, 1], 2), baseOf([3, 1], undefined)]).toEqual([1, 1, 3, 3]);
});

it("gives every job of a full page a look of its own", () => {
  const ids = [3, 9, 15, 21, 27, 4];
  const looks = ids.map((id) => lineOf(id, ids));
  expect(new Set(looks.map((line) => line.colour)).size).toBe(MOST_JOBS);
  expect(new Set(looks.map((line) => line.dash?.join())).size).toBe(MOST_JOBS);
});

it("gives a job the look that it has beside other jobs, too", () => {
  for (const id of [2, 3]) expect(lineOf(id, [2, 3])).toEqual(lineOf(id, [1, 3, 2]));
  expect(lineOf(9, [2, 9])).toEqual(lineOf(9, [9, 2, 4]));
  expect(lineOf(4, [4, 9]), "it gives way to no job whose look is taken").toEqual(lineOf(4, [3, 9, 4]));
});

describe("the columns", () => {
  it("run over steps or over the seconds in steps", () => {
    const items = [compared(), { ...compared(), points: [] }];
    expect(losses(items, "steps")).toEqual({ x: [5], lines: [[1], [undefined]] });
    expect(losses(items, "time").x).toEqual([5]); // ten steps of a second each: their middle
    expect(rates(items, "steps").lines[0]).toEqual([1000]);
    expect(accuracies(items, "steps")).toEqual({ x: [10], lines: [[50], [50]] });
    expect(accuracies(items, "time").x).toEqual([2]);
  });
});

describe("ratio", () => {
  const throughput = measure("Throughput");
  it("is how often the base job goes into it", () => {
    expect(throughput && ratio(throughput, compared({ samples_per_second: 300 }), compared({ samples_per_second: 200 }))).toBe(1.5);
    expect(throughput && ratio(throughput, compared(), compared({ samples_per_second: null }))).toBeNull();
    const loss = measure("Training loss, newest epoch");
    expect(loss && ratio(loss, compared(), compared())).toBeNull();
  });

  it("says nothing about times to different accuracies", () => {
    const time = measure("Time to accuracy");
    const [fast, slow] = [compared({ seconds_to_target: 2 }, 0.9), compared({ seconds_to_target: 4 }, 0.9)];
    expect(time && ratio(time, slow, fast)).toBe(2);
    expect(time && ratio(time, slow, compared({ seconds_to_target: 2 }, 0.8))).toBeNull();
  });

  it("shares the waiting for sums out of the time in steps", () => {
    const waiting = measure("Waiting");
    expect(waiting?.value(compared({ exposed_communication_seconds: 1, step_seconds: 4 }))).toBe(0.25);
    expect(waiting?.value(compared({ step_seconds: null }))).toBeNull();
  });
});

it("warns of what disturbed a job or its base job, and of cores that ranks shared", () => {
  const job = (id: number, disturbed_by: string | null, cores = 2) => {
    const { summary } = aTraining();
    return aTraining({ id, attempts: [anAttempt({ disturbed_by })], summary: { ...summary, ranks: 2, cores } as TrainingSummary });
  };
  const [quiet, loud] = [job(7, null), job(9, "Other load.")];
  expect([warnings(quiet, quiet), warnings(loud, quiet), warnings(quiet, loud)]).toEqual([
    [], ...Array(2).fill(["Job 9 was disturbed, so differences may come from that. Other load."]),
  ]);
  expect(warnings(job(8, "More load."), loud)).toEqual(["Both jobs were disturbed, so differences may come from that. Job 8: More load. Job 9: Other load."]);
  expect(warnings(quiet, job(8, null, 1))).toEqual(["Job 7 had a core for each rank, and job 8 2 ranks on 1 core."]);
});

it("lists the fields that differ, those of the dataset by their path", () => {
  const { defaults } = trainingChoices();
  const other = {
    ...defaults,
    training: { ...PLAIN_TRAINING, all_reduce: "ring" as const, dataset: { ...PLAIN_TRAINING.dataset, validation_percent: 10 } },
    placement: { ...defaults.placement, ranks: 4 },
  };
  const [one, two] = [aTraining({ spec: defaults }), aTraining({ spec: other })];
  expect(differingFields([one, two])).toEqual([
    ["all_reduce", ["auto", "ring"]],
    ["dataset.validation_percent", ["20", "10"]],
    ["ranks", ["2", "4"]],
  ]);
  expect(differingFields([one, one])).toEqual([]);
});

it("lists placement, nodes, transport, and versions that both reported", () => {
  const { spec, summary } = aJob();
  const best = [aBest()];
  const one = aJob({ attempts: [anAttempt({ nodes: ["n1"] })] });
  const placement = { ...spec.placement, ranks_per_node: 2, selector: { zone: "a" }, exclusive: false };
  const two = aJob({ spec: { ...spec, placement }, summary: { ...summary, best }, attempts: [anAttempt({ nodes: ["n1", "n2"] })] });
  expect(differingFields([one, two], [{ numpy: "2.3", mpich: "4.3" }, { numpy: "2.4", mpich: "4.3" }])).toEqual([
    ["ranks_per_node", ["–", "2"]],
    ["exclusive", ["true", "false"]],
    ["ran on", ["n1", "n1, n2"]],
    ["measured over", ["–", "mpi"]],
    ["versions.numpy", ["2.3", "2.4"]],
    ["selector.zone", ["–", "a"]],
  ]);
  expect(differingFields([one, one], [{ numpy: "2.3" }, {}])).toEqual([]);
});

it("lists equal properties with one value; versions are of the jobs that reported any", () => {
  const { spec } = aJob();
  const [one, two] = [aJob(), aJob({ spec: { ...spec, placement: { ...spec.placement, ranks: 2 } } })];
  const same = Object.fromEntries(sameFields([one, two], [{ numpy: "2.3", mpich: "4.3" }, { mpich: "4.2" }]));
  expect(same).toMatchObject({ collective: spec.benchmark.collective, "ran on": "–", "versions.numpy": "2.3" });
  expect(Object.keys(same)).not.toContain("ranks");
  expect(Object.keys(same)).not.toContain("versions.mpich");
});
