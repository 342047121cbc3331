import { describe, expect, it } from "vitest";
import { joined, valueIn } from "./lineColumns";

describe("joined", () => {
  it("puts lines with places of their own over all places, without making gaps", () => {
    expect(joined([[[1, 10], [3, null]], [[2, 5]]])).toEqual({ x: [1, 2, 3], lines: [[10, undefined, null], [undefined, 5, undefined]] });
    expect(joined([[], []])).toEqual({ x: [], lines: [[], []] });
  });
});

describe("valueIn", () => {
  const columns = { x: [1, 2, 3], lines: [[1, 2, undefined], [3, 6, null]] };
  it("gives a line's last value, none in a gap, or the newest", () => {
    expect(valueIn(columns, 0, 0)).toBe(1);
    expect(valueIn(columns, 0, 2)).toBe(2);
    expect(valueIn(columns, 1, 2)).toBeNull();
    expect(valueIn(columns, 1, null)).toBe(6);
    expect(valueIn(columns, 7, null)).toBeNull();
    expect(valueIn({ x: [1], lines: [[undefined]] }, 0, 0)).toBeNull();
  });
  it("gives the part itself for a stack", () => expect(valueIn(columns, 1, 1, true)).toBe(4));
});
