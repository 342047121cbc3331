import { expect, it } from "vitest";
import { aligned, timeUnit } from "./column";

it("puts the points of a column below one another", () => {
  expect(aligned([1.234, 12.34, 1234, null])).toEqual(["1.23", "12.3\u2007", "1234\u2008\u2007\u2007", "–"]);
  expect(aligned([100, 250])).toEqual(["100", "250"]);
  expect(aligned([undefined])).toEqual(["–"]);
});

it.each([
  [[2.16, 0.25], "s"],
  [[0.0004, 3], "ms"],
  [[39e-6, 0.2], "µs"],
  [[0], "µs"],
  [[], "µs"],
])("shows times of %s seconds in one unit", (seconds, unit) => expect(timeUnit(seconds).unit).toBe(unit));
