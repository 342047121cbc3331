import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import uPlot from "uplot";
import type { SizeLine } from "../lib/sweep/lines";
import * as marks from "./sizeMarks";

// There is no page, and so no style.
vi.mock("./token", () => ({ token: (_: HTMLElement, name: string) => name }));

const FONT = "12px sans";
const line = (change: Partial<SizeLine> = {}): SizeLine => ({
  name: "ring", colour: "--text", width: 2, mark: "open", isNamed: true, points: [[8, 10], [16, 20], [32, 40]], ...change,
});

/** The drawing calls in order, with their arguments. */
let drawn: [name: string, ...args: unknown[]][];

/** A chart whose pixels are its values. */
function plot(...values: (number | null)[][]): uPlot {
  const pen = (name: string) => (...args: unknown[]) => drawn.push([name, ...args]);
  const names = ["save", "restore", "beginPath", "rect", "clip", "moveTo", "lineTo", "stroke", "fill", "fillRect", "fillText", "setLineDash"];
  const ctx = Object.fromEntries(names.map((name) => [name, pen(name)]));
  const found = { ctx, bbox: { left: 0, top: 0, width: 100, height: 100 }, data: [[8, 16, 32], ...values], root: null, valToPos: (value: number) => value };
  return found as unknown as uPlot;
}

function texts(): unknown[][] {
  return drawn.filter(([name]) => name === "fillText").map(([, ...args]) => args);
}

function path(): unknown[][] {
  return drawn.filter(([name]) => name === "lineTo").map(([, ...args]) => args);
}

beforeEach(() => {
  drawn = [];
  Object.assign(uPlot, { pxRatio: 1 }); // of a window, which there is not
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("room for the names", () => {
  beforeEach(() => {
    const context = { font: "", measureText: (text: string) => ({ width: 10 * text.length }) };
    vi.stubGlobal("document", { createElement: () => ({ getContext: () => context }) });
  });

  it("is as wide as the longest one that is shown", () => {
    expect(marks.labelRoom([line(), line({ name: "double tree", isNamed: false })], FONT, 1000)).toBe(40 + 16);
  });

  it("is none where no line has a name, or the names would crowd out the lines", () => {
    expect(marks.labelRoom([line({ isNamed: false })], FONT, 1000)).toBe(0);
    expect(marks.labelRoom([line()], FONT, 100)).toBe(0);
  });
});

describe("beside the lines of a chart over sizes", () => {
  it("a line's name stands at its last value, and of a line without values nowhere", () => {
    marks.drawNames(plot([10, 20, null], [null, null, null], [1, 2, 3]), [line(), line({ name: "mpi" }), line({ name: "in place", isNamed: false })], FONT);
    expect(texts()).toEqual([["ring", 16 + 8, 20]]);
  });

  it("an unstable value has a mark over it, within the plot, and a hole has none", () => {
    marks.drawUnstable(plot(), [line({ points: [[0, 5], [8, 10], [16, 60], [32, null]], unstable: [0, 8, 16, 32] }), line()], FONT);
    expect(texts()).toEqual([["!", 8, 14], ["!", 16, 55]]);
  });

  it("S* stands on its line, and nowhere beside its ends", () => {
    marks.drawKnees(plot(), [line({ kneeBytes: 24 }), line({ kneeBytes: 64 }), line()], FONT);
    expect(path()).toEqual([[19, 30], [24, 25], [29, 30], [24, 35]]);
    expect(texts()).toEqual([["S*", 29, 25]]);
  });

  it("a band goes there along its upper side and back along its lower one; of one size it is a bar", () => {
    marks.drawBands(plot(), [line({ band: [[8, 1, 3], [16, 2, 6]] })]);
    expect(path()).toEqual([[8, 3], [16, 6], [16, 2], [8, 1]]);
    drawn = [];
    marks.drawBands(plot(), [line({ band: [[8, 1, 3]] }), line()]);
    expect(path()).toEqual([[3, 3], [13, 3], [13, 1], [3, 1]]);
  });

  it("the chosen size is a strip behind them; size 0, which the axis does not have, is none", () => {
    marks.drawChosen(plot(), 16);
    marks.drawChosen(plot(), 0);
    marks.drawChosen(plot(), null);
    expect(drawn.filter(([name]) => name === "fillRect")).toEqual([["fillRect", 11.5, 0, 9, 100]]);
  });

  it("a limit is a rule across the plot with its words", () => {
    marks.drawRule(plot(), { value: 50, label: "limit" }, FONT);
    expect(drawn.filter(([name]) => name === "moveTo" || name === "lineTo")).toEqual([["moveTo", 0, 50], ["lineTo", 100, 50]]);
    expect(texts()).toEqual([["limit", 4, 48]]);
  });
});
