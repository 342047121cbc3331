import { expect, it } from "vitest";
import { type PriceChartSetup, priceData } from "./priceChart";

const setup: PriceChartSetup = {
  model: { x: [8, 64], lines: [{ algorithm: "ring", values: [1, 2] }, { algorithm: "tree", values: [null, 3] }] },
  x: "size",
  metric: "time",
  onHover: () => undefined,
};

it("puts what was measured beside the model on one axis, each line with holes at the other's places", () => {
  const measured = { x: [16, 64], lines: [{ algorithm: "ring", values: [5, 6] }] };
  expect(priceData({ ...setup, measured })).toEqual([
    [8, 16, 64],
    [1, undefined, 2],
    [null, undefined, 3],
    [undefined, 5, 6],
  ]);
});

it("draws the links' limit beside bandwidths only", () => {
  expect(priceData({ ...setup, limits: [4, 4] })).toHaveLength(3);
  expect(priceData({ ...setup, metric: "busbw", limits: [4, 4] })[3]).toEqual([4, 4]);
  expect(priceData({ ...setup, metric: "busbw", limits: [null, null] })).toHaveLength(3);
});
