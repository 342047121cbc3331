import { describe, expect, it } from "vitest";
import { deltaOf, sumWords } from "./comparedRows";
import { aComparedRow as row } from "../../testing/resultFixtures";

const against = (ratio: number, noise = 0.05, isReal = true) => ({ ratio, ratio_low: null, ratio_high: null, noise, is_clear: isReal, is_beyond_noise: isReal });

describe("a difference", () => {
  it("is of the time, with the variation of iterations", () => {
    expect(deltaOf(row({ against: against(0.877) }))).toEqual({ text: "−12.3 %", mark: "faster", interval: "", noise: "±5.00 %" });
    const sure = { ...against(0.877), ratio_low: 0.86, ratio_high: 1.01 };
    expect(deltaOf(row({ against: sure }))?.interval).toBe("−14.0 % to +1.00 %");
    expect(deltaOf(row({ against: against(2) }))?.mark).toBe("slower");
    expect(deltaOf(row({ against: against(2) }))?.text).toBe("+100 %");
    expect(deltaOf(row())).toBeNull();
  });

  it("is a multiple where percents would have many digits", () => {
    const delta = deltaOf(row({ against: against(265, 12) }));
    expect([delta?.text, delta?.noise]).toEqual(["265×", "±12.0×"]);
  });

  it("is unclear where the server says so, however large", () =>
    expect(deltaOf(row({ against: against(3, 2.5, false) }))?.mark).toBe("unclear"));

  it("is counted", () => {
    const rows = [row({ against: against(0.5) }), row({ against: against(1.01, 0.05, false) }), row()];
    expect(sumWords(rows)).toBe("Of 2 sizes 1 faster, 0 slower, 1 without a clear difference.");
    expect(sumWords([row()])).toBe("No size in common with the base job.");
  });
});
