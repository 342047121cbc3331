import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type uPlot from "uplot";
import type { SizeLine } from "../lib/sweep/lines";
import { type SizeChartSetup, sizeOptions } from "./sizeLines";

// There is no page, and so no style.
vi.mock("./token", () => ({ token: (_: HTMLElement, name: string) => name }));

const line = (change: Partial<SizeLine> = {}): SizeLine => ({
  name: "ring", colour: "--text", width: 2, mark: "open", isNamed: false, points: [[8, 10], [64, 50]], ...change,
});
const setup = (change: Partial<SizeChartSetup> = {}): SizeChartSetup => ({
  lines: [line()], yLabel: "GB/s", isLog: false, range: [8, 64], onHover: () => undefined, ...change,
});

function options(latest: () => SizeChartSetup): uPlot.Options {
  return sizeOptions({ clientWidth: 600, clientHeight: 300 } as HTMLElement, latest);
}

beforeEach(() => {
  vi.stubGlobal("document", { createElement: () => ({ getContext: () => null }) });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The range of an axis. */
function range(found: uPlot.Options, axis: "x" | "y"): unknown {
  const { range: of } = found.scales?.[axis] ?? {};
  return typeof of === "function" ? (of as () => unknown)() : of;
}

describe("a chart over sizes", () => {
  it("has the sweep's sizes as its axis, whatever was measured so far", () => {
    expect(range(options(() => setup({ lines: [], range: [8, 2 ** 26] })), "x")).toEqual([8, 2 ** 26]);
  });

  it("counts from zero to a little more than the largest value, the limit or twice what was measured", () => {
    expect(range(options(() => setup()), "y")).toEqual([0, 54]);
    expect(range(options(() => setup({ rule: { value: 100, label: "limit" } })), "y")).toEqual([0, 108]);
    const model = line({ mark: "none", isModel: true, points: [[8, 5000]] });
    expect(range(options(() => setup({ lines: [line(), model] })), "y")).toEqual([0, 108]);
  });

  it("has whole decades of what was measured on a logarithmic axis, with the limit, whatever a model says", () => {
    expect(range(options(() => setup({ isLog: true })), "y")).toEqual([10, 100]);
    const model = line({ mark: "none", isModel: true, points: [[8, 5000]] });
    expect(range(options(() => setup({ isLog: true, lines: [line(), model] })), "y")).toEqual([10, 100]);
    expect(range(options(() => setup({ isLog: true, rule: { value: 200, label: "limit" } })), "y")).toEqual([10, 1000]);
    expect(range(options(() => setup({ isLog: true, lines: [model] })), "y")).toEqual([1000, 10_000]);
  });

  it("follows the rows that come while it stays", () => {
    let now = setup();
    const found = options(() => now);
    now = setup({ lines: [line({ points: [[8, 100]] })] });
    expect(range(found, "y")).toEqual([0, 108]);
  });

  it("writes no numbers beside an axis on which nothing was measured", () => {
    const values = options(() => setup()).axes?.[1]?.values as (u: unknown, ticks: number[]) => string[];
    expect(values({ data: [[]] }, [0, 1])).toEqual(["", ""]);
    expect(values({ data: [[8]] }, [0, 0.25, 1000])).toEqual(["0", "0.25", "1,000"]);
  });

  it("reports the size under the pointer, and the clicked one", () => {
    const calls: (number | null)[] = [];
    const found = options(() => setup({ onHover: (index) => calls.push(index), onChoose: (index) => calls.push(10 * index) }));
    const over = new EventTarget();
    const u = { over, cursor: { idx: 3 as number | null } } as unknown as uPlot;
    found.hooks?.ready?.[0]?.(u);
    found.hooks?.setCursor?.[0]?.(u);
    over.dispatchEvent(new Event("click"));
    u.cursor.idx = null;
    found.hooks?.setCursor?.[0]?.(u);
    over.dispatchEvent(new Event("click"));
    expect(calls).toEqual([3, 30, null]);
  });
});
