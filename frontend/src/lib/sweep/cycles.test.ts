import { describe, expect, it } from "vitest";
import { comparedRows, isUnstable, referenceBytes, withoutCycles } from "./cycles";
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

describe("what the verdict compares", () => {
  it("is at the size nearest to 1 MiB, of two the smaller", () => {
    expect(referenceBytes([0, 8, 2 ** 19, 2 ** 21, 2 ** 26])).toBe(2 ** 19);
    expect(referenceBytes([2 ** 24, 2 ** 25])).toBe(2 ** 24);
    expect(referenceBytes([0])).toBe(0);
  });

  it("is out of place, the fastest first, cycles as one", () => {
    const at = { size_bytes: 2 ** 20 };
    const rows = [
      aRow({ ...at, algorithm: "mpi", time_us: 30 }),
      aRow({ ...at, algorithm: "direct", time_us: 10 }),
      aRow({ ...at, algorithm: "direct", time_us: 20, cycle: 1 }),
      aRow({ ...at, algorithm: "ring", time_us: 1, in_place: true }),
      aRow({ size_bytes: 2 ** 26, algorithm: "ring", time_us: 1 }),
    ];
    expect(comparedRows(rows).map((row) => [row.algorithm, row.time_us])).toEqual([["direct", 15], ["mpi", 30]]);
    expect(comparedRows([])).toEqual([]);
  });
});
