import { describe, expect, it } from "vitest";
import type { EpochView, TrainingSummary } from "../api/types";
import {
  accuracyLine, attemptMarks, heldOutLine, lossLine, meanStep, rangeOf, rateLine, secondsAt, splitOf, stackedSplit, stepRange,
} from "./curve";
import { aTraining } from "../testing/fixtures";
import { aPoint } from "../testing/resultFixtures";

const part = (job_id: number, attempt: number, first_step: number, last_step: number) => ({ job_id, attempt, first_step, last_step });

describe("the lines", () => {
  const points = [aPoint({ first_step: 0, last_step: 9, loss: 2 }), aPoint({ first_step: 10, last_step: 10, loss: null })];

  it("stand in the middle of the steps of a point, with a gap where it diverged", () => {
    expect(lossLine(points)).toEqual([[5, 2], [10.5, null]]);
    expect(rateLine(points)).toEqual([[5, 1000], [10.5, 1000]]);
  });

  it("follow the epochs, even if one was reported again later", () => {
    const epoch = (id: number, number: number, accuracy: number | null) =>
      ({ id, epoch: number, step: 10 * number, validation_loss: 0.5, validation_accuracy: accuracy }) as EpochView;
    const epochs = [epoch(1, 1, 0.5), epoch(3, 3, null), epoch(7, 2, 0.75)];
    expect(heldOutLine(epochs).map(([step]) => step)).toEqual([10, 20, 30]);
    expect(accuracyLine(epochs)).toEqual([[10, 50], [20, 75], [30, null]]);
  });
});

describe("the split of a step", () => {
  it("adds up to the whole, with hidden communication inside of the computing", () => {
    const split = splitOf(aPoint({ duration_us: 100, compute_us: 60, communication_us: 50, exposed_us: 30 }));
    expect(split).toEqual({ input: 0, compute: 40, hidden: 20, exposed: 30, other: 10 });
  });

  it("is never negative, whatever order the clocks were read in", () => {
    const split = splitOf(aPoint({ duration_us: 100, compute_us: 71, communication_us: 29, exposed_us: 30 }));
    expect(split).toEqual({ input: 0, compute: 70, hidden: 0, exposed: 30, other: 0 });
    expect(splitOf(aPoint({ duration_us: 0.3, compute_us: 0.1, communication_us: 0, exposed_us: 0.2 })).other).toBe(0);
  });

  it("has the waiting for samples beside the computing, none of it as another part", () => {
    const split = splitOf(aPoint({ duration_us: 100, compute_us: 40, communication_us: 50, exposed_us: 30, input_us: 20 }));
    expect(split).toEqual({ input: 20, compute: 20, hidden: 20, exposed: 30, other: 10 });
    expect(splitOf(aPoint({ duration_us: 100, compute_us: 60, communication_us: 0, exposed_us: 30, input_us: 100 }))).toMatchObject({ input: 70, compute: 0, other: 0 });
  });

  it("is stacked in ms, each point from its first step to the next point", () => {
    const points = [
      aPoint({ first_step: 0, last_step: 1, duration_us: 1000, compute_us: 500, communication_us: 300, exposed_us: 200 }),
      aPoint({ first_step: 2, last_step: 2, duration_us: 2000, compute_us: 2000, communication_us: 0, exposed_us: 0 }),
    ];
    const { x, lines } = stackedSplit(points);
    expect(x).toEqual([0, 2, 3]);
    expect(lines.map((line) => line.map((value) => Number(value?.toFixed(3))))).toEqual([[0, 0, 0], [0.4, 2, 2], [0.5, 2, 2], [0.7, 2, 2], [1, 2, 2]]);
    expect(stackedSplit([])).toEqual({ x: [], lines: [[], [], [], [], []] });
  });

  it("has a mean over the steps of the job's throughput", () => {
    const summary = { ...(aTraining().summary as TrainingSummary), step_seconds: 6, timed_steps: 10, exposed_communication_seconds: null };
    expect(meanStep(summary)).toMatchObject({ duration_us: 600_000, exposed_us: 0 });
    expect(meanStep({ ...summary, timed_steps: null }), "an earlier version did not count them").toBeNull();
  });
});

it("gives charts beside one another one axis", () => {
  expect(stepRange([aPoint({ first_step: 20, last_step: 29 }), aPoint({ first_step: 30, last_step: 35 })])).toEqual([20, 36]);
  expect(rangeOf([{ x: [1, 4], lines: [] }, { x: [9], lines: [] }, { x: [], lines: [] }])).toEqual([0, 9]);
  expect(rangeOf([])).toEqual([0, 1]);
});

it("marks where an attempt or a resumed job began, but not the first", () => {
  const attempts = [part(1, 1, 0, 9), part(1, 2, 10, 19), part(4, 1, 20, 29)];
  expect(attemptMarks({ attempts })).toEqual([{ x: 10, label: "attempt 2" }, { x: 20, label: "job 4" }]);
});

it("counts the seconds in steps to the middle of each point", () => {
  const points = [aPoint({ first_step: 0, last_step: 1, duration_us: 1e6 }), aPoint({ first_step: 2, last_step: 2, duration_us: 4e6 })];
  expect(secondsAt(points)).toEqual([1, 4]);
});
