import { expect, it } from "vitest";
import { rangeText, rankList } from "./words";

it("writes ranks that follow each other as a range", () => {
  expect(rankList([3])).toBe("rank 3");
  expect(rankList([1, 0])).toBe("ranks 0, 1");
  expect(rankList([0, 1, 2, 7])).toBe("ranks 0 to 2 and 7");
  expect(rankList(Array.from({ length: 30 }, (_, i) => 2 * i))).toMatch(/^ranks 0, 2, .* 22 …$/);
});

it("writes channels as ranges", () => {
  expect(rangeText([0, 1, 2, 9])).toBe("0–2, 9");
});
