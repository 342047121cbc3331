import { describe, expect, it } from "vitest";
import type { Lateness, RankLateness } from "../../../api/types";
import { cellOf, cellText, cellWords, columnWords, instantOf, lastShare, leastReal, medianLate, mostLate, hasGaps, tail, verdict } from "./lateness";

const START_NS = Date.parse("2026-01-31T12:00:00Z") * 1e6;

function rank(change: Partial<RankLateness> = {}): RankLateness {
  const usual = { rank: 0, node: "n1", mean_late_us: 1, error_us: 0, clock_offset_ns: 0, last_steps: 0, last_steps_beyond_error: 0, late_us: [2, -3, null] };
  return { ...usual, ...change };
}

function found(change: Partial<Lateness> = {}): Lateness {
  const started_at_ns = [START_NS, START_NS + 1e9, null];
  return { first_step: 40, steps: 30, steps_per_column: 10, ranks: [rank()], after_us: [5, 6, null], started_at_ns, ...change };
}

it("counts iterations from the first one shown", () => {
  expect(columnWords(found(), 2)).toBe("iterations 20 to 29");
  expect(columnWords(found({ steps_per_column: 1 }), 2)).toBe("iteration 2");
});

describe("a cell", () => {
  it("says how late, or how early", () => {
    expect(cellWords(found(), rank(), 0)).toBe("rank 0, iterations 0 to 9: at most 2.00 µs late");
    expect(cellWords(found({ steps_per_column: 1 }), rank(), 1)).toBe("rank 0, iteration 1: 3.00 µs early");
    expect(cellWords(found(), rank(), 2)).toContain("not reported by every rank");
  });

  it("never takes the clocks' error for lateness", () => {
    expect(cellWords(found(), rank({ error_us: 5 }), 0)).toContain("2.00 µs late, within the clock error (5.00 µs)");
    expect(cellWords(found(), rank({ error_us: 1 }), 0)).toContain("2.00 µs late (±1.00 µs)");
    expect(cellWords(found(), rank({ error_us: null }), 0)).toContain("may be clock error");
    expect(leastReal(rank({ error_us: null }))).toBe(Number.POSITIVE_INFINITY);
  });
});

it("names a cell by its rank and first iteration, whatever the order of the strips", () => {
  const late = found({ ranks: [rank({ rank: 2 }), rank({ rank: 0 })] });
  for (const cell of [{ row: 0, column: 1 }, { row: 1, column: 0 }, { row: 2, column: 2 }]) {
    expect(cellOf(late, cellText(late, cell))).toEqual(cell);
  }
  expect([cellText(late, { row: 0, column: 1 }), cellText(late, { row: 2, column: 2 })]).toEqual(["2.10", "after.20"]);
  expect(cellOf(late, "0.29")).toEqual({ row: 1, column: 2 });
  expect([cellOf(late, undefined), cellOf(late, "1.0"), cellOf(late, "0.30"), cellOf(found({ ranks: [], after_us: [] }), "after.0")]).toEqual([null, null, null, null]);
});

describe("the instant of a cell", () => {
  it("is when its iteration began there, by the clock of the rank's node", () => {
    const late = found({ steps_per_column: 1, ranks: [rank({ late_us: [2000, -3, null], clock_offset_ns: -3.6e12 }), rank()] });
    expect(instantOf(late, { row: 0, column: 0 })).toBe("2026-01-31T11:00:00.002000Z");
    expect(instantOf(late, { row: 1, column: 1 })).toBe("2026-01-31T12:00:00.999997Z");
  });

  it("is that of the first one of several, whichever was latest", () => {
    expect(instantOf(found(), { row: 0, column: 0 })).toBe("2026-01-31T12:00:00.000000Z");
  });

  it("is the server's time after the last rank, and null if no iteration was reported by all", () => {
    expect(instantOf(found({ steps_per_column: 1 }), { row: 1, column: 0 })).toBe("2026-01-31T12:00:00.000000Z");
    expect(instantOf(found(), { row: 0, column: 2 })).toBeNull();
  });
});

it("knows the largest lateness and the share of being last", () => {
  expect(mostLate([rank(), rank({ late_us: [9] })])).toBe(9);
  expect(lastShare(rank({ last_steps_beyond_error: 3 }), 30)).toBe("10.0 %");
  expect(lastShare(rank(), 0)).toBe("–");
});

it("names the rank that is last most often, with its share by chance, and none within the clocks' error", () => {
  const three = [1, 2, 3].map((number) => rank({ rank: number, last_steps_beyond_error: 1 }));
  expect(verdict(found({ ranks: [...three, rank({ rank: 0, last_steps_beyond_error: 27 })] }))).toBe(
    "Rank 0 on n1 came last to 90.0 % of 30 iterations; by chance it would be 25.0 %. That is more than chance explains.",
  );
  const two = [rank({ rank: 0, last_steps_beyond_error: 14 }), rank({ rank: 1, last_steps_beyond_error: 6 })];
  expect(verdict(found({ ranks: two, steps: 20 }))).toMatch(/70.0 % of 20 iterations; by chance it would be 50.0 %. Chance explains that.$/);
  expect(verdict(found())).toBe("No rank came later than the clock error.");
  expect(verdict(found({ ranks: [rank({ error_us: null })] }))).toContain("clock is not known");
  expect(verdict(found({ ranks: [], steps: 0 }))).toBe("");
});

it("knows how likely a count is by chance", () => {
  expect(tail(15, 20, 0.5)).toBeCloseTo(0.0207, 4);
  expect(tail(0, 20, 0.5)).toBeCloseTo(1, 9);
  expect(tail(5000, 5000, 0.5)).toBe(0);
  expect(tail(2500, 5000, 0.5)).toBeCloseTo(0.5056, 3);
});

it("has gaps where other rows take turns with this one", () => {
  expect(hasGaps(found({ after_us: [1, null], ranks: [rank({ late_us: [1, null] })] }))).toBe(true);
  expect(hasGaps(found({ after_us: [1, 2], ranks: [rank({ late_us: [1, null] })] }))).toBe(false);
});

it("has a median if every iteration is reported, and none if columns hold the largest of several", () => {
  const one = rank({ late_us: [9, null, -1, 2] });
  expect(medianLate(one, found({ steps_per_column: 1 }))).toBe(2);
  expect(medianLate(rank({ late_us: [1, 3] }), found({ steps_per_column: 1 }))).toBe(2);
  expect(medianLate(one, found())).toBeNull();
});
