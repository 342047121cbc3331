import { expect, it } from "vitest";
import { curveOf, layoutOf, RADIUS } from "./layout";

function places(hosts: number, each: number) {
  return Array.from({ length: hosts * each }, (_, rank) => ({ rank, host: `n${Math.floor(rank / each)}`, device: rank % each }));
}

it("keeps every rank inside of its node, and no two in one place", () => {
  for (const [hosts, each] of [[1, 1], [2, 8], [4, 3], [1, 16], [9, 8]] as const) {
    const { boxes, spots, width, height } = layoutOf(places(hosts, each), 1120, false);
    expect(boxes).toHaveLength(hosts);
    expect(new Set([...spots.values()].map(({ x, y }) => `${x}/${y}`)).size).toBe(hosts * each);
    for (const box of boxes) {
      for (const spot of box.spots) {
        expect(spot.x - RADIUS).toBeGreaterThanOrEqual(box.x);
        expect(spot.x + RADIUS).toBeLessThanOrEqual(box.x + box.width);
        expect(spot.y - RADIUS).toBeGreaterThanOrEqual(box.y);
        expect(spot.y + RADIUS).toBeLessThanOrEqual(box.y + box.height);
      }
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    }
  }
});

it("puts nodes below each other where the window is narrow, so that eight GPUs fit on a phone", () => {
  const narrow = layoutOf(places(4, 8), 340, false);
  expect(new Set(narrow.boxes.map(({ x }) => x)).size).toBe(1);
  expect(new Set(layoutOf(places(4, 8), 1120, false).boxes.map(({ x }) => x)).size).toBeGreaterThan(1);
});

it("puts ranks that wrote no line last", () => {
  const { boxes } = layoutOf([{ rank: 0, host: null, device: null }, { rank: 1, host: "n1", device: 0 }], 340, false);
  expect(boxes.map(({ host }) => host)).toEqual(["n1", null]);
});

it("bows both directions between two ranks to different sides", () => {
  const [a, b] = [{ rank: 0, device: 0, x: 0, y: 50 }, { rank: 1, device: 1, x: 100, y: 50 }];
  const middle = ({ path }: { path: string }): number => Number(/Q[\d.-]+ ([\d.-]+)/.exec(path)?.[1]);
  expect(middle(curveOf(a, b))).toBeLessThan(50);
  expect(middle(curveOf(b, a))).toBeGreaterThan(50);
});
