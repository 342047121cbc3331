import { describe, expect, it } from "vitest";
import type { PriceCell } from "../api/types";
import { aRow } from "../testing/resultFixtures";
import { curveSizes, growth, hiddenLines, lead, mapShapes, mapSizes, measuredColumns, priceColumns, pricesCsv } from "./planGrid";

describe("the grids", () => {
  it("hold the size of interest, in order, and reach it", () => {
    for (const sizes of [curveSizes, mapSizes]) {
      for (const size of [8, 3000, 64 * 2 ** 20, 1_200_000_000, 350e9]) {
        const found = sizes(size);
        expect(found).toContain(size);
        expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
        expect(Math.max(...found)).toBeGreaterThanOrEqual(2 ** 28);
      }
    }
    expect(curveSizes(256)[0]).toBe(256);
    expect(mapSizes(2 ** 20).length).toBeLessThan(curveSizes(2 ** 20).length);
  });

  it("double the ranks, or the nodes, and hold the shape of interest", () => {
    expect(mapShapes("8")).toEqual(["2", "4", "8", "16", "32"]);
    expect(mapShapes("10")).toEqual(["2", "4", "8", "10", "16", "32"]);
    expect(mapShapes("4x8")).toEqual(["1x8", "2x8", "4x8"]);
    expect(mapShapes("8x8")).toEqual(["1x8", "2x8", "4x8", "8x8"]);
    expect(mapShapes("100")).toEqual(["2", "4", "8", "16", "32"]);
    expect([mapShapes("2x2x4"), mapShapes("x"), mapShapes("0")]).toEqual([["2x2x4"], ["x"], ["0"]]);
  });
});

function aCell(sizeBytes: number, seconds: Record<string, number>): PriceCell {
  const results = Object.entries(seconds).map(([algorithm, time_s]) => ({
    algorithm, time_s, algbw_gb_per_s: 1, busbw_gb_per_s: 2, source: "schedule", formula_s: null, phase_ends_s: null,
    messages: null, bytes_on_critical_path: null, steps: null, sent_bytes: null, is_bound: false, is_whole: true,
  }));
  const fastest = Object.entries(seconds).sort((a, b) => a[1] - b[1])[0]?.[0] ?? null;
  return { shape: "4", ranks: 4, size_bytes: sizeBytes, fastest, limit_gb_per_s: 1, results, answer: "" };
}

describe("priceColumns", () => {
  const cells = [aCell(64, { ring: 2e-6, tree: 1e-6 }), aCell(8, { ring: 1e-6, tree: 0 })];

  it("makes a line for each algorithm, ascending, with gaps where no axis could show it", () => {
    expect(priceColumns(cells, "size_bytes", "time")).toEqual({
      x: [8, 64],
      lines: [{ algorithm: "ring", values: [1, 2] }, { algorithm: "tree", values: [null, 1] }],
    });
    expect(priceColumns(cells, "size_bytes", "busbw").lines[0]?.values).toEqual([2, 2]);
  });

  it("names the algorithms whose lines hide each other", () => {
    const of = (values: Record<string, (number | null)[]>) =>
      hiddenLines({ x: [8, 64], lines: Object.entries(values).map(([algorithm, line]) => ({ algorithm, values: line })) });
    expect(of({ naive: [4, 8], ring: [1, 2], parameter_server: [4, 8.01], direct: [1, 2], tree: [1, 3] })).toEqual([
      ["naive", "parameter_server"], ["ring", "direct"],
    ]);
    expect(of({ ring: [null, 2], tree: [1, 2] })).toEqual([]);
  });

  it("gives the fastest algorithm's lead", () => {
    const [cell] = cells;
    if (!cell) throw new Error("there is one");
    expect(lead(cell)).toBe(2);
    expect(lead(aCell(8, { ring: 1 }))).toBeNull();
  });

  it("lets what only collects compete with nothing", () => {
    const cell = aCell(8, { ring: 2, gather: 1, naive: 4 });
    const results = cell.results.map((price) => ({ ...price, is_whole: price.algorithm !== "gather" }));
    expect(lead({ ...cell, fastest: "ring", results })).toBe(2);
    expect(priceColumns([{ ...cell, results }], "size_bytes", "busbw").lines[1]?.values).toEqual([null]);
  });

  it("compares with no upper bound", () => {
    const cell = aCell(8, { ring: 1, tree: 2, direct: 4 });
    const bounded = (name: string): PriceCell => ({ ...cell, results: cell.results.map((price) => ({ ...price, is_bound: price.algorithm === name })) });
    expect([lead(bounded("ring")), lead(bounded("tree")), lead(bounded("direct"))]).toEqual([null, null, 2]);
  });
});

describe("growth", () => {
  it("compares the most ranks with the fewest, without one rank and without upper bounds", () => {
    const on = (ranks: number, seconds: Record<string, number>): PriceCell => ({ ...aCell(8, seconds), ranks });
    const cells = [on(8, { ring: 2, gather: 14 }), on(2, { ring: 1, gather: 2 }), on(1, { ring: 0, gather: 0 })];
    expect(growth(cells)).toMatchObject({ from: { ranks: 2 }, to: { ranks: 8 }, most: { algorithm: "gather", times: 7 }, least: { algorithm: "ring", times: 2 } });
    expect(growth(cells.slice(0, 1))).toBeNull();
    expect(growth([on(2, { ring: 1 }), on(8, { ring: 2 })])).toBeNull();
  });
});

describe("measuredColumns", () => {
  const rows = [
    aRow({ id: 1, algorithm: "ring", size_bytes: 64, ranks: 4, p50_us: 20, time_us: 25, busbw_gb_per_s: 4 }),
    aRow({ id: 2, algorithm: "ring", size_bytes: 8, ranks: 4, p50_us: 10 }),
    aRow({ id: 3, algorithm: "ring", size_bytes: 8, ranks: 4, p50_us: 99, in_place: true }),
    aRow({ id: 4, algorithm: "mpi", size_bytes: 8, ranks: 4 }),
    aRow({ id: 5, algorithm: "ring", size_bytes: 8, ranks: 4, p50_us: 12 }),
    aRow({ id: 6, algorithm: "ring", size_bytes: 8, ranks: 2, p50_us: 1 }),
  ];

  it("takes medians out of place, of the same ranks and algorithms only", () => {
    expect(measuredColumns(rows, "all_reduce", ["ring", "tree"], 4, "time")).toEqual({
      x: [8, 64],
      lines: [{ algorithm: "ring", values: [12, 20] }],
    });
    expect(measuredColumns(rows, "all_reduce", ["ring"], 4, "busbw").lines[0]?.values[1]).toBe(5);
    expect(measuredColumns(rows, "all_reduce", ["ring"], 8, "time")).toEqual({ x: [], lines: [] });
  });
});

it("says in every copied line that nothing was measured", () => {
  const prices = aCell(1024, { ring: 1, direct: 2 }).results;
  const [heading, ...lines] = pricesCsv(prices).trim().split("\r\n");
  expect(heading).toMatch(/^basis,caveats,algorithm,time_s,/);
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).toMatch(/^simulated,/);
});
