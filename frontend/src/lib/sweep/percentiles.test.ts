import { describe, expect, it } from "vitest";
import { aRow } from "../../testing/resultFixtures";
import { curveColumns, percentileLines, rarity, shareText } from "./percentiles";

it("has a line for each percentile of a row", () => {
  const lines = percentileLines([aRow({ size_bytes: 8 }), aRow({ size_bytes: 16, p99_us: 40 })]);
  expect(lines.map((line) => line.name)).toEqual(["p50", "p90", "p99", "max"]);
  expect(lines[2]?.points).toEqual([[8, 12], [16, 40]]);
});

it("marks a row that says little once", () => {
  const lines = percentileLines([aRow({ size_bytes: 8 }), aRow({ size_bytes: 16, cv_percent: 30 })]);
  expect(lines.map((line) => line.unstable)).toEqual([[16], [], [], []]);
});

describe("the axis of a curve", () => {
  it("grows tenfold with each nine", () => {
    expect([0, 0.9, 0.99, 0.999].map((share) => Math.round(rarity(share, 10_000)))).toEqual([1, 10, 100, 1000]);
  });

  it("ends with the slowest iteration, beyond all others", () => {
    expect(rarity(1, 20)).toBe(40);
    const points = [{ share: 0.5, time_us: 3 }, { share: 0.95, time_us: 5 }, { share: 1, time_us: 9 }];
    const [x, y] = curveColumns({ count: 20, ranks: 2, points });
    expect(x.map(Math.round)).toEqual([2, 20, 40]);
    expect(y).toEqual([3, 5, 9]);
  });

  it.each([[0, "0 %"], [0.5, "50 %"], [0.99, "99 %"], [0.999, "99.9 %"], [0.9999, "99.99 %"], [0.8221721, "82.2 %"], [1, "100 %"]])(
    "writes %d as %s",
    (share, text) => expect(shareText(share)).toBe(text),
  );
});
