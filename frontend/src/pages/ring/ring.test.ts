import { describe, expect, it } from "vitest";
import { arrow, arrowLabel, chunkLabel, rankPlaces, rankRadius, RING_PX } from "./ring";

describe("ranks on a circle", () => {
  it("go clockwise from the top, inside the picture", () => {
    const [top, right, bottom, left] = rankPlaces(4);
    expect([top?.x, bottom?.x]).toEqual([RING_PX / 2, expect.closeTo(RING_PX / 2)]);
    expect(top?.y).toBeLessThan(right?.y ?? 0);
    expect(right?.x).toBeGreaterThan(left?.x ?? RING_PX);
    for (const { x, y } of rankPlaces(16)) {
      expect(Math.min(x, y)).toBeGreaterThan(rankRadius(16));
      expect(Math.max(x, y)).toBeLessThan(RING_PX - rankRadius(16));
    }
  });

  it("do not touch each other", () => {
    for (const ranks of [2, 3, 8, 16]) {
      const [first, second] = rankPlaces(ranks);
      if (!first || !second) throw new Error("there are two");
      expect(Math.hypot(first.x - second.x, first.y - second.y)).toBeGreaterThan(2 * rankRadius(ranks));
    }
  });
});

describe("arrows", () => {
  const [a, b] = [{ x: 100, y: 300 }, { x: 300, y: 300 }];

  it("of two opposite ways bend apart", () => {
    expect(arrow(a, b, 20).label.y).toBeLessThan(300);
    expect(arrow(b, a, 20).label.y).toBeGreaterThan(300);
  });

  it("begin and end outside of the circles", () => {
    const [start = [], end = []] = /M (\S+) (\S+) Q \S+ \S+ (\S+) (\S+)/.exec(arrow(a, b, 20).path)?.slice(1).map(Number).reduce<number[][]>((pairs, value, i) => {
      (pairs[Math.floor(i / 2)] ??= []).push(value);
      return pairs;
    }, []) ?? [];
    expect(Math.hypot((start[0] ?? 0) - a.x, (start[1] ?? 0) - a.y)).toBeCloseTo(25, 0);
    expect(Math.hypot((end[0] ?? 0) - b.x, (end[1] ?? 0) - b.y)).toBeCloseTo(25, 0);
  });

  it("across the circle have labels apart from each other", () => {
    const places = rankPlaces(8);
    const [zero, three, four, seven] = [places[0], places[3], places[4], places[7]];
    if (!zero || !three || !four || !seven) throw new Error("there are eight");
    const [one, other] = [arrow(three, zero, 25), arrow(seven, four, 25)];
    expect([one.isAcross, other.isAcross, arrow(zero, seven, 25).isAcross]).toEqual([true, true, false]);
    expect(Math.hypot(one.label.x - other.label.x, one.label.y - other.label.y)).toBeGreaterThan(60);
  });

  it("bend to the outside where each rank sends to the next", () => {
    const places = rankPlaces(3);
    places.forEach((from, i) => {
      const to = places[(i + 1) % 3];
      if (!to) throw new Error("there is a next one");
      const { label } = arrow(from, to, rankRadius(3));
      const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
      const distance = (point: { x: number; y: number }) => Math.hypot(point.x - RING_PX / 2, point.y - RING_PX / 2);
      expect(distance(label)).toBeGreaterThan(distance(middle));
    });
  });

  it("survive two ranks in one place", () => expect(arrow(a, a, 20).path).not.toContain("NaN"));

  it("are labelled with the numbers sent and their chunk, as far as there is room", () => {
    expect(arrowLabel({ values: [18], chunks: [2] }, 3)).toEqual(["18", "chunk 2"]);
    expect(arrowLabel({ values: null, chunks: [0, 1] }, 3)).toEqual(["chunks 0, 1"]);
    expect(arrowLabel({ values: [1, 2, 3, 4], chunks: [0, 2, 4, 6] }, 8)).toEqual(["4 chunks"]);
    expect([arrowLabel({ values: [18], chunks: [2] }, 16), arrowLabel({ values: null, chunks: [2] }, 16)]).toEqual([["18"], ["2"]]);
  });

  it("are labelled with their chunks", () => {
    expect([[2], [0, 1], [0, 1, 2, 3], [0, 2, 4, 6]].map(chunkLabel)).toEqual(["2", "0, 1", "0–3", "4 chunks"]);
  });
});
