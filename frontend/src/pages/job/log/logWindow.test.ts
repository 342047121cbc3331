import { describe, expect, it } from "vitest";
import { heightPx, type ListShape, pagesOf, scrollTo, windowAt } from "./logWindow";

const short: ListShape = { lines: 100, linePx: 20, windowPx: 400, fitting: 20 };
const long: ListShape = { ...short, lines: 1_000_000 };

describe("a short list", () => {
  it("scrolls by pixels, until its last line is at the bottom", () => {
    expect(heightPx(short)).toBe(100 * 20);
    expect(windowAt(short, 0)).toEqual({ first: 0, cutPx: 0, count: 21 });
    expect(windowAt(short, 50)).toEqual({ first: 2, cutPx: 10, count: 21 });
    expect(windowAt(short, heightPx(short) - 400).first).toBe(80);
  });

  it("scrolls further where fewer of its last lines fit", () => {
    const wrapped = { ...short, fitting: 3 };
    expect(windowAt(wrapped, heightPx(wrapped) - 400).first).toBe(97);
  });

  it("does not scroll where all of it fits", () => expect(heightPx({ ...short, lines: 20 })).toBe(400));

  it("may be empty", () => expect(windowAt({ ...short, lines: 0 }, 0)).toEqual({ first: 0, cutPx: 0, count: 21 }));
});

describe("a list that is higher than a browser can draw", () => {
  it("has a height that it can", () => expect(heightPx(long)).toBe(8_000_000));

  it("reaches every end", () => {
    expect(windowAt(long, 0).first).toBe(0);
    expect(windowAt(long, heightPx(long) - long.windowPx).first).toBe(999_980);
  });

  it.each([0, 1, 119, 500_000, 999_980])("puts line %i at the top", (line) => {
    const { first, cutPx } = windowAt(long, scrollTo(long, line));
    expect(first + cutPx / long.linePx).toBeCloseTo(line, 6);
  });
});

it("names the pages that a window needs", () => {
  expect(pagesOf(0, 21, 500)).toEqual([0]);
  expect(pagesOf(490, 21, 500)).toEqual([0, 1]);
  expect(pagesOf(500, 0, 500)).toEqual([1]);
});
