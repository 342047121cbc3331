import { describe, expect, it } from "vitest";
import { isUnstable, withoutCycles } from "./cycles";
import { aRow } from "../../testing/resultFixtures";
import examples from "./cycles.json";

describe("several cycles as one row", () => {
  it.each(examples)("is the server's point: $name", ({ rows, point }) => {
    const merged = withoutCycles(rows.map((row, cycle) => aRow({ cycle, ...row })));
    expect(merged).toHaveLength(1);
    expect(merged[0]).toMatchObject({ wrong: point.wrong, iterations: point.iterations });
    expect(merged[0]?.time_us).toBeCloseTo(point.time_us);
    expect(merged[0]?.busbw_gb_per_s).toBeCloseTo(point.busbw_gb_per_s);
    expect(merged.some(isUnstable)).toBe(point.is_unstable);
  });

  it("has no interval, which only the server can say", () => {
    const rows = [aRow({ cycle: 0 }), aRow({ cycle: 1 })];
    expect(withoutCycles(rows)).toMatchObject([{ time_low_us: null, time_high_us: null }]);
    expect(withoutCycles(rows.slice(1))).toEqual(rows.slice(1));
  });

  it("scales both bandwidths from one cycle", () => {
    const rows = [aRow({ cycle: 0, time_us: 10, algbw_gb_per_s: 1 }), aRow({ cycle: 1, time_us: 0, algbw_gb_per_s: 0 })];
    expect(withoutCycles(rows)).toMatchObject([{ time_us: 5, algbw_gb_per_s: 2 }]);
  });

  it("takes the newest row of a cycle that a later attempt repeats", () => {
    const rows = [aRow({ id: 1, cycle: 0, time_us: 90 }), aRow({ id: 2, cycle: 1, time_us: 30 }), aRow({ id: 3, cycle: 0, time_us: 10 })];
    expect(withoutCycles(rows)).toMatchObject([{ time_us: 20, iterations: 40 }]);
  });

  it.each([{ cv_percent: 25 }, { p99_us: 101, p50_us: 10 }])("is unstable where one of them is, whatever their means are: %j", (change) => {
    const cycles = [aRow({ cycle: 0, ...change }), aRow({ cycle: 1, cv_percent: 1 }), aRow({ cycle: 2, cv_percent: 1 })];
    const merged = withoutCycles(cycles);
    expect(merged).toHaveLength(1);
    expect(merged.every(isUnstable)).toBe(true);
    expect(withoutCycles(cycles.slice(1)).some(isUnstable)).toBe(false);
  });
});
