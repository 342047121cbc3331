import { expect, it } from "vitest";
import { scaleOf } from "./scale";

it("maps the least and the greatest to the ends, and a single number to the middle", () => {
  const x = scaleOf([5, 1, 3], 10, 30);
  expect([x(1), x(3), x(5)]).toEqual([10, 20, 30]);
  expect(scaleOf([7, 7], 10, 30)(7)).toBe(20);
  expect(scaleOf([], 10, 30)(7)).toBe(20);
});
