import { describe, expect, it } from "vitest";
import { answerWords, deltaOf, rateWords, sumWords } from "./comparedRows";
import { aComparedRow as row } from "../../testing/resultFixtures";

const against = (ratio: number, noise = 0.05, isReal = true) => ({ ratio, ratio_low: null, ratio_high: null, noise, is_clear: isReal, is_beyond_noise: isReal });

describe("a difference", () => {
  it("is of the time, with the variation of iterations", () => {
    expect(deltaOf(row({ against: against(0.877) }))).toEqual({ text: "12.3 % faster", mark: "faster", interval: "", noise: "±5 %" });
    const sure = { ...against(0.877), ratio_low: 0.86, ratio_high: 1.01 };
    expect(deltaOf(row({ against: sure }))?.interval).toBe("14 % faster to 1 % slower");
    expect(deltaOf(row({ against: against(2) }))?.mark).toBe("slower");
    expect(deltaOf(row({ against: against(2) }))?.text).toBe("2 × slower");
    expect(deltaOf(row())).toBeNull();
  });

  it("is a multiple where percents would have many digits", () => {
    const delta = deltaOf(row({ against: against(265, 12) }));
    expect([delta?.text, delta?.noise]).toEqual(["265 × slower", "±12 ×"]);
  });

  it("is unclear where the server says so, however large", () =>
    expect(deltaOf(row({ against: against(3, 2.5, false) }))?.mark).toBe("unclear"));

  it("is counted", () => {
    const rows = [row({ against: against(0.5) }), row({ against: against(1.01, 0.05, false) }), row()];
    expect(sumWords(rows)).toBe("Of 2 sizes 1 faster, 0 slower, 1 without a clear difference.");
    expect(sumWords([row()])).toBe("No size in common with the base job.");
  });
});

it("says a rate as a share of another one, and never as a time", () => {
  expect([0.618, 1.25, 3.1, 1].map(rateWords)).toEqual(["38.2 % fewer than", "25 % more than", "3.1 × as many as", "as many as"]);
});

describe("the answer", () => {
  const rows = (...told: [ratio: number, isClear: boolean][]) =>
    told.map(([ratio, isClear], i) => row({ size_bytes: 1024 * 2 ** i, against: { ...against(ratio, 0.05, isClear), ratio_low: ratio / 1.1, ratio_high: ratio * 1.1 } }));

  it("names the faster job, the sizes and the amount", () => {
    expect(answerWords(rows([0.5, true], [0.877, true]), "Job 9", "job 7")).toBe("Job 9 is clearly faster than job 7 at both sizes, by 12.3 % to a factor of 2.");
    const mixed = rows([267, true], [1, false], [1.2, true], [1.5, true], [0.62, true], [1, false]);
    expect(answerWords(mixed, "Job 9", "job 7")).toBe(
      "Job 9 is clearly slower than job 7 at 1 KiB and from 4 KiB to 8 KiB, by 20 % to a factor of 267, and clearly faster at 16 KiB, by 38 %. 2 sizes show no clear difference.",
    );
  });

  it("counts sizes that are far from each other", () => {
    const scattered = rows([1.2, true], [1, false], [1.2, true], [1, false], [1.2, true]);
    expect(answerWords(scattered, "Job 9", "job 7")).toBe("Job 9 is clearly slower than job 7 at 3 of 5 sizes, by 20 %. 2 sizes show no clear difference.");
  });

  it("says where nothing is clear, and why", () => {
    expect(answerWords(rows([1.3, false]), "Job 9", "job 7")).toBe("Job 9 and job 7 do not differ clearly at 1 KiB.");
    expect(answerWords([row({ against: against(1.3, 0.05, false) })], "Job 9", "job 7")).toContain("fewer than 12 iterations");
    expect(answerWords([row()], "Job 9", "job 7")).toBe("Job 9 and job 7 have no size in common.");
  });
});
