import { describe, expect, it } from "vitest";
import { cellAt, cellPx, ramp, strength } from "./heat";

describe("strength", () => {
  it("is nothing within the error, and all at the most", () => {
    expect(strength(5, 5, 100)).toBe(0);
    expect(strength(-3, 0, 100)).toBe(0);
    expect(strength(100, 5, 100)).toBe(1);
    expect(strength(1, 0, 0)).toBe(0);
  });

  it("grows with the order of magnitude, and shows the smallest", () => {
    expect(strength(10, 1, 100)).toBeCloseTo(0.5);
    expect(strength(0.001, 0, 100)).toBe(0.05);
  });
});

describe("cells", () => {
  it("fill the strip without gaps", () => {
    const cells = Array.from({ length: 7 }, (_, i) => cellPx(i, 7, 100));
    expect(cells.reduce((sum, [, width]) => sum + width, 0)).toBe(100);
    cells.slice(1).forEach(([left], i) => expect(left).toBe((cells[i]?.[0] ?? 0) + (cells[i]?.[1] ?? 0)));
  });

  it("are found where they are drawn", () => {
    expect([0, 14.2, 14.3, 99.9, 250, -1].map((px) => cellAt(px, 7, 100))).toEqual([0, 0, 1, 6, 6, 0]);
  });
});

it("mixes the colours of a ramp", () => {
  const colours = ["#000000", "#808080", "#ff0000"];
  expect([0, 0.25, 0.5, 1, 2].map((at) => ramp(colours, at))).toEqual([
    "rgb(0 0 0)", "rgb(64 64 64)", "rgb(128 128 128)", "rgb(255 0 0)", "rgb(255 0 0)",
  ]);
});
