import { describe, expect, it } from "vitest";
import { aRow } from "../../testing/resultFixtures";
import { METRICS, STATISTICS } from "../search/search";
import { alignRows, areAllUnstable, bestRow, METRIC_NAMES, METRIC_UNITS, metricOf, type Shown, spanOf, STATISTIC_NAMES, type Sweep, sweepLines, valueOf } from "./series";

const shown = (metric: Shown["metric"], statistic: Shown["statistic"] = "mean", limit?: number): Shown => ({ metric, statistic, limit });
const idsOf = ({ series }: Sweep): unknown[] => series.map((line) => [line.algorithm, line.inPlace, line.rows.map((row) => row?.id ?? null)]);
const row = aRow({ time_us: 12, busbw_gb_per_s: 3, algbw_gb_per_s: 2, p5_us: 8, p50_us: 10, p95_us: 16 });

describe("a row in a metric", () => {
  it("stands at its mean, or at its median, whatever is shown", () => {
    expect(METRICS.map((metric) => valueOf(row, shown(metric, "mean", 4)))).toEqual([3, 2, 12, 75]);
    expect(valueOf(row, shown("busbw", "median"))).toBeCloseTo(3.6);
    expect([valueOf(row, shown("algbw", "median")), valueOf(row, shown("time", "median"))]).toEqual([2.4, 10]);
    expect(valueOf(row, shown("limit", "median", 4))).toBe(90);
  });

  it("takes the limit only for the share of it", () => {
    expect(metricOf(row, "busbw", 4)).toBe(3);
    expect(metricOf(row, "limit", 4)).toBe(75);
  });

  it("has a name and a unit, as the statistics have a name", () => {
    expect(METRICS.filter((metric) => !METRIC_NAMES[metric] || !METRIC_UNITS[metric])).toEqual([]);
    expect(STATISTICS.filter((statistic) => !STATISTIC_NAMES[statistic])).toEqual([]);
  });

  it("is no number out of nothing where a call took no time", () => {
    const none = aRow({ time_us: 0, p5_us: 0, p50_us: 0, p95_us: 0, busbw_gb_per_s: 0 });
    expect(METRICS.map((metric) => valueOf(none, shown(metric, "median"))).every(Number.isFinite)).toBe(true);
    expect(spanOf(none, "busbw")).toEqual([0, 0]);
  });
});

describe("the span of a row", () => {
  it("goes from p5 to p95; the slow end of a rate is the low one", () => {
    expect(spanOf(row, "time")).toEqual([8, 16]);
    expect(spanOf(row, "busbw")).toEqual([2.25, 4.5]);
    expect(spanOf(row, "limit", 4)).toEqual([56.25, 112.5]);
  });

  it("is not known of an earlier version, whose line has no band there", () => {
    const old = aRow({ size_bytes: 8, p5_us: null });
    expect(spanOf(old, "time")).toBeNull();
    expect(sweepLines(alignRows([old, row], ["ring"], "out"), shown("time"))[0]?.band).toEqual([[1024, 8, 16]]);
  });

  it("is a point of a simulated row, all of whose iterations take the same time, and which no median moves", () => {
    const times = { p5_us: 5, p10_us: 5, p50_us: 5, p90_us: 5, p95_us: 5, p99_us: 5, cv_percent: 0 };
    const simulated = aRow({ transport: "simulated", time_us: 5, busbw_gb_per_s: 40, ...times });
    expect(spanOf(simulated, "busbw")).toEqual([40, 40]);
    expect(valueOf(simulated, shown("busbw", "median"))).toBe(valueOf(simulated, shown("busbw")));
    expect(sweepLines(alignRows([simulated], ["ring"], "out"), shown("busbw"))[0]).toMatchObject({ points: [[1024, 40]], unstable: [] });
  });
});

describe("aligned rows", () => {
  const rows = [
    aRow({ id: 1, size_bytes: 16, algorithm: "mpi" }),
    aRow({ id: 2, size_bytes: 8, algorithm: "ring" }),
    aRow({ id: 3, size_bytes: 8, algorithm: "ring", in_place: true }),
  ];

  it("are a line for each algorithm in their order, with gaps where there is no row yet", () => {
    const sweep = alignRows(rows, ["ring", "mpi", "naive"], "out");
    expect(sweep.sizes).toEqual([8, 16]);
    expect(idsOf(sweep)).toEqual([
      ["ring", false, [2, null]],
      ["mpi", false, [null, 1]],
      ["naive", false, [null, null]],
    ]);
  });

  it("are those of one use of the buffers, or of both, each with a line of its own", () => {
    expect(idsOf(alignRows(rows, ["ring"], "out"))).toEqual([["ring", false, [2, null]]]);
    expect(idsOf(alignRows(rows, ["ring"], "in"))).toEqual([["ring", true, [3, null]]]);
    expect(idsOf(alignRows(rows, ["ring"], "both"))).toEqual([
      ["ring", false, [2, null]],
      ["ring", true, [3, null]],
    ]);
  });

  it("have the size of every row, also of one whose algorithm or place is not shown: so charts side by side have one axis", () => {
    expect(alignRows(rows, [], "out")).toEqual({ sizes: [8, 16], series: [] });
    expect(idsOf(alignRows(rows, ["mpi"], "in"))).toEqual([["mpi", true, [null, null]]]);
  });

  it("are empty lines before the first row has come", () => {
    const sweep = alignRows([], ["ring"], "both");
    expect(sweep).toEqual({ sizes: [], series: [{ algorithm: "ring", inPlace: false, rows: [] }, { algorithm: "ring", inPlace: true, rows: [] }] });
    expect(sweepLines(sweep, shown("busbw")).map(({ points, band, unstable }) => ({ points, band, unstable }))).toEqual([
      { points: [], band: [], unstable: [] },
      { points: [], band: [], unstable: [] },
    ]);
  });

  it("take several cycles as their mean, and the newest row of each", () => {
    const cycles = [
      aRow({ id: 1, time_us: 99, busbw_gb_per_s: 9, cycle: 0, wrong: 5 }),
      aRow({ id: 2, time_us: 10, busbw_gb_per_s: 6, cycle: 0 }),
      aRow({ id: 3, time_us: 20, busbw_gb_per_s: 3, cycle: 1, p50_us: 30, wrong: 1 }),
    ];
    const [merged] = alignRows(cycles, ["ring"], "out").series[0]?.rows ?? [];
    expect(merged).toMatchObject({ time_us: 15, busbw_gb_per_s: 4, p50_us: 20, iterations: 40, wrong: 1 });
  });
});

describe("the lines of a sweep", () => {
  it("leave a gap where a row has not come yet, and a line of one row has one point", () => {
    const rows = [aRow({ size_bytes: 8, time_us: 1 }), aRow({ size_bytes: 16, algorithm: "mpi", time_us: 2 }), aRow({ size_bytes: 32, time_us: 4 })];
    const [ring, mpi] = sweepLines(alignRows(rows, ["ring", "mpi"], "out"), shown("time"));
    expect(ring?.points).toEqual([[8, 1], [16, null], [32, 4]]);
    expect(mpi?.points.filter(([, value]) => value !== null)).toEqual([[16, 2]]);
    expect(ring?.band?.map(([size]) => size)).toEqual([8, 32]);
  });

  it("mark in place by filled points, and name it only if out of place is not shown", () => {
    const sweep = alignRows([aRow(), aRow({ in_place: true })], ["ring"], "both");
    const looks = (lines: ReturnType<typeof sweepLines>): unknown => lines.map(({ name, mark, isNamed }) => [name, mark, isNamed]);
    expect(looks(sweepLines(sweep, shown("busbw")))).toEqual([["ring", "open", true], ["ring", "filled", false]]);
    expect(looks(sweepLines(alignRows([aRow({ in_place: true })], ["ring"], "in"), shown("busbw")))).toEqual([["ring", "filled", true]]);
  });

  it("mark where iterations differ too much, and have no band where none is wanted", () => {
    const wild = [aRow({ size_bytes: 8, cv_percent: 21 }), aRow({ size_bytes: 16, p50_us: 1, p99_us: 10.1 }), aRow({ size_bytes: 32 })];
    expect(sweepLines(alignRows(wild, ["ring"], "out"), shown("time"), false)[0]).toMatchObject({ unstable: [8, 16], band: [] });
  });

  it("are unstable all in all only if every value is", () => {
    const lines = (cvs: number[]) => sweepLines(alignRows(cvs.map((cv_percent, i) => aRow({ size_bytes: 8 << i, cv_percent })), ["ring", "mpi"], "out"), shown("time"));
    expect([[30, 30], [30, 3], [30], []].map((cvs) => areAllUnstable(lines(cvs)))).toEqual([true, false, false, false]);
  });

  it("have no band at size 0, for which a logarithmic axis has no place", () => {
    const [line] = sweepLines(alignRows([aRow({ size_bytes: 0 }), aRow({ size_bytes: 8 })], ["ring"], "out"), shown("time"));
    expect(line?.band?.map(([size]) => size)).toEqual([8]);
  });
});

describe("the best row of a line", () => {
  const rows = [
    aRow({ id: 1, size_bytes: 8, busbw_gb_per_s: 3, time_us: 10, p50_us: 10 }),
    aRow({ id: 2, size_bytes: 32, busbw_gb_per_s: 9, time_us: 99, p50_us: 990 }),
  ];
  const bestOf = (metric: Shown["metric"], statistic?: Shown["statistic"]): number | undefined => {
    const [ring] = alignRows([...rows, aRow({ size_bytes: 16, algorithm: "mpi" })], ["ring"], "out").series;
    return (ring && bestRow(ring, shown(metric, statistic)))?.id;
  };

  it("has the largest rate or the smallest time, in the statistic that is shown, whatever gaps there are", () => {
    expect([bestOf("busbw"), bestOf("time"), bestOf("busbw", "median")]).toEqual([2, 1, 1]);
  });

  it("is the first of those that are as good, and nothing without rows", () => {
    const same = { algorithm: "ring", inPlace: false, rows: [null, aRow({ id: 5 }), aRow({ id: 6 })] };
    expect(bestRow(same, shown("busbw"))?.id).toBe(5);
    expect(bestRow({ ...same, rows: [null] }, shown("time"))).toBeNull();
    expect(bestRow({ ...same, rows: [] }, shown("time"))).toBeNull();
  });
});
