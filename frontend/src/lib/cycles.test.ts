import { describe, expect, it } from "vitest";
import { isUnstable, withoutCycles } from "./cycles";
import { aRow } from "./fixtures";

describe("several cycles as one row", () => {
  it("takes their mean", () => {
    const [row] = withoutCycles([aRow({ cycle: 0, time_us: 10, busbw_gb_per_s: 1 }), aRow({ cycle: 1, time_us: 30, busbw_gb_per_s: 1 / 3 })]);
    expect(row).toMatchObject({ time_us: 20, iterations: 40 });
    expect(row?.busbw_gb_per_s).toBeCloseTo(0.5);
  });

  it.each([{ cv_percent: 25 }, { p99_us: 101, p50_us: 10 }])("is unstable where one of them is, whatever their means are: %j", (change) => {
    const cycles = [aRow({ cycle: 0, ...change }), aRow({ cycle: 1, cv_percent: 1 }), aRow({ cycle: 2, cv_percent: 1 })];
    const merged = withoutCycles(cycles);
    expect(merged).toHaveLength(1);
    expect(merged.every(isUnstable)).toBe(true);
    expect(withoutCycles(cycles.slice(1)).some(isUnstable)).toBe(false);
  });
});
