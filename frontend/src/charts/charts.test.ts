import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import openapi from "../../openapi.json";
import { aRow } from "../lib/fixtures";
import { alignRows, bestRow, type Shown, spanOf, sweepLines, valueOf } from "../lib/series";
import { colourToken, dashOf } from "../lib/style";

describe("a row on the chart", () => {
  const row = aRow({ time_us: 12, busbw_gb_per_s: 3, algbw_gb_per_s: 2, p5_us: 8, p50_us: 10, p95_us: 16 });
  const shown = (metric: Shown["metric"], statistic: Shown["statistic"] = "mean", limit?: number): Shown => ({ metric, statistic, limit });

  it("stands at its mean, or at its median, whatever is shown", () => {
    expect([valueOf(row, shown("time")), valueOf(row, shown("algbw")), valueOf(row, shown("limit", "mean", 4))]).toEqual([12, 2, 75]);
    const medians = [valueOf(row, shown("time", "median")), valueOf(row, shown("algbw", "median")), valueOf(row, shown("limit", "median", 4))];
    expect(medians).toEqual([10, 2.4, 90]);
    expect(valueOf(row, shown("busbw", "median"))).toBeCloseTo(3.6);
  });

  it("is marked where its iterations differ too much, and has no band where none is wanted", () => {
    const wild = [aRow({ size_bytes: 8, cv_percent: 21 }), aRow({ size_bytes: 16, p50_us: 1, p99_us: 10.1 }), aRow({ size_bytes: 32 })];
    const [line] = sweepLines(alignRows(wild, ["ring"], "out"), shown("time"), false);
    expect(line).toMatchObject({ unstable: [8, 16], band: [] });
  });

  it("spans p5 to p95; the slow end of a rate is the low one", () => {
    expect(spanOf(row, "time")).toEqual([8, 16]);
    expect(spanOf(row, "busbw")).toEqual([2.25, 4.5]);
    expect(sweepLines(alignRows([row], ["ring"], "out"), shown("time"))[0]?.band).toEqual([[1024, 8, 16]]);
  });

  it("of an earlier version has no span, and that of no time no rate", () => {
    expect(spanOf({ ...row, p5_us: null }, "time")).toBeNull();
    expect(valueOf({ ...row, time_us: 0, p50_us: 0, busbw_gb_per_s: 0 }, shown("busbw", "median"))).toBe(0);
  });
});

describe("the look of a line", () => {
  const algorithms = openapi.components.schemas.BenchmarkSpec.properties.algorithms.items.enum;
  const tokens = readFileSync(`${process.cwd()}/src/app/tokens.css`, "utf8");
  const light = new Map([...tokens.matchAll(/(--algorithm-\w+): (.*);/g)].reverse().map((match) => [match[1], match[2]]));

  it("differs for every algorithm that the engine has, in colour or pattern", () => {
    const looks = algorithms.map((name) => {
      const value = light.get(colourToken(name));
      const colour = light.get(/var\((.*)\)/.exec(value ?? "")?.[1]) ?? value;
      return `${colour} ${dashOf(name).join()}`;
    });
    expect(looks.filter((look) => look.startsWith("undefined"))).toEqual([]);
    expect(new Set(looks).size).toBe(algorithms.length);
  });
});

describe("alignRows", () => {
  const rows = [
    aRow({ id: 1, size_bytes: 16, algorithm: "mpi" }),
    aRow({ id: 2, size_bytes: 8, algorithm: "ring", busbw_gb_per_s: 3 }),
    aRow({ id: 3, size_bytes: 8, algorithm: "ring", in_place: true }),
  ];

  it("gives one line per algorithm with gaps where there is no row yet", () => {
    const { sizes, series } = alignRows(rows, ["ring", "mpi"], "out");
    expect(sizes).toEqual([8, 16]);
    expect(series.map((line) => [line.algorithm, line.rows.map((row) => row?.id ?? null)])).toEqual([
      ["ring", [2, null]],
      ["mpi", [null, 1]],
    ]);
  });

  it("doubles the lines for both buffer uses", () => {
    const { series } = alignRows(rows, ["ring"], "both");
    expect(series.map((line) => line.inPlace)).toEqual([false, true]);
    expect(series[1]?.rows[0]?.id).toBe(3);
  });

  it("finds the best row of a line: the largest rate, or the smallest time", () => {
    const all = [...rows, aRow({ id: 4, size_bytes: 32, algorithm: "ring", busbw_gb_per_s: 9, time_us: 99 })];
    const [ring, naive] = alignRows(all, ["ring", "naive"], "out").series;
    expect(ring && bestRow(ring, { metric: "busbw", statistic: "mean" })?.id).toBe(4);
    expect(ring && bestRow(ring, { metric: "time", statistic: "mean" })?.id).toBe(2);
    expect(naive && bestRow(naive, { metric: "busbw", statistic: "mean" })).toBeNull();
  });

  it("takes several cycles as their mean, and the newest row of each", () => {
    const cycles = [
      aRow({ id: 1, time_us: 99, busbw_gb_per_s: 9, cycle: 0, wrong: 5 }),
      aRow({ id: 2, time_us: 10, busbw_gb_per_s: 6, cycle: 0 }),
      aRow({ id: 3, time_us: 20, busbw_gb_per_s: 3, cycle: 1, p50_us: 30, wrong: 1 }),
    ];
    const [row] = alignRows(cycles, ["ring"], "out").series[0]?.rows ?? [];
    expect(row).toMatchObject({ time_us: 15, busbw_gb_per_s: 4, p50_us: 20, iterations: 40, wrong: 1 });
  });
});
