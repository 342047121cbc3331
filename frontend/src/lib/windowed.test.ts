import { expect, it } from "vitest";
import { rowsInView } from "./windowed";

it.each([
  ["the top of the page", [1000, 32, 200, 900, 5], { first: 0, end: 27 }],
  ["scrolled past the first rows", [1000, 32, -3200, 900, 5], { first: 95, end: 134 }],
  ["the end", [100, 32, -2900, 900, 5], { first: 85, end: 100 }],
  ["a table that is not yet in view", [1000, 32, 5000, 900, 5], { first: 0, end: 0 }],
  ["a table that has gone by", [10, 32, -5000, 900, 5], { first: 10, end: 10 }],
  ["no rows", [0, 32, 0, 900, 5], { first: 0, end: 0 }],
])("%s", (_, [count, row, top, view, spare], span) => {
  expect(rowsInView(count ?? 0, row ?? 0, top ?? 0, view ?? 0, spare ?? 0)).toEqual(span);
});
