import { describe, expect, it } from "vitest";
import { aJob } from "../testing/fixtures";
import { aBlock, someSteps } from "../testing/resultFixtures";
import { barsLabel, barsPath, countWords, kindWords, longestUs, shownSteps, slowestWords } from "./steps";
import type { AttemptView } from "../api/types";

const [fast, slow] = [aBlock(), aBlock({ rank: 1, mean_us: 20, busbw_gb_per_s: 0.0768, steps: 2, recent_us: [10, 40] })];

describe("what the ranks are at", () => {
  it("is shown of the newest attempt only, and once there is something", () => {
    const job = aJob({ attempts: [{ id: 1 } as AttemptView, { id: 2 } as AttemptView] });
    expect(shownSteps(job, undefined)).toBeNull();
    expect(shownSteps(job, someSteps([], { attempt_id: 2 }))).toBeNull();
    expect(shownSteps(job, someSteps([fast]))).toBeNull();
    expect(shownSteps(job, someSteps([fast], { attempt_id: 2 }))?.items).toEqual([fast]);
  });

  it("is described in words", () => {
    expect(kindWords(aBlock({ bytes: 4 << 20, in_place: true }))).toBe("4 MiB in place");
    expect(countWords([fast, slow])).toBe("2 to 3 steps");
    expect(countWords([{ ...fast, steps: 4171 }, { ...slow, steps: 4173 }])).toBe("4,171 to 4,173 steps");
    expect(countWords([slow, slow])).toBe("2 steps");
    expect(slowestWords(someSteps([fast, slow]))).toBe("Slowest: rank 1, 20.0 µs a step, 0.0768 GB/s.");
    expect(slowestWords(someSteps([fast, slow], { ranks: 64 }))).toContain("The slowest 2 of 64 ranks. ");
    expect(slowestWords(someSteps([fast, { ...slow, mean_us: 24_498, busbw_gb_per_s: null }]))).toBe("Slowest: rank 1, 24.5 ms a step.");
    expect(slowestWords(someSteps([fast]))).toBe("");
    expect(slowestWords(someSteps([fast, aBlock({ rank: 1, in_place: true })]))).toBe("");
  });
});

describe("bars of the last steps", () => {
  it("stand on one scale, the newest at the right end", () => {
    expect(longestUs([fast, slow])).toBe(40);
    expect(barsPath(slow.recent_us, 40, 16, 20)).toBe("M10 20v-5M14 20v-20");
    expect(barsPath([0], 40, 4, 20)).toBe("M2 20v-1");
    expect(barsPath([0], 0, 4, 20)).toBe("");
  });

  it("are described in words", () => {
    expect(barsLabel(slow.recent_us)).toBe("Last 2 steps: 10.0 µs to 40.0 µs");
  });
});
