import { describe, expect, it } from "vitest";
import { eachOf, formatAge, formatAgo, formatDuration, meanCount, plural, secondsBetween, shortList, threeDigits } from "./format";

describe("threeDigits", () => {
  it.each([
    [0, "0"],
    [0.00315, "0.00315"],
    [0.0000051, "0.000005"],
    [0.8434, "0.843"],
    [1.404, "1.40"],
    [12.34, "12.3"],
    [321.4, "321"],
    [33247.2, "33247"],
  ])("writes %d as %s", (value, text) => expect(threeDigits(value)).toBe(text));
});

describe("formatDuration", () => {
  it.each([
    [0.004, "0.00 s"],
    [0.68, "0.68 s"],
    [3.14, "3.1 s"],
    [49.4, "49 s"],
    [59.7, "1 min"],
    [185, "3 min 05 s"],
    [600, "10 min"],
    [7800, "2 h 10 min"],
    [270_000, "3 d 03 h"],
    [-2, "0.00 s"],
  ])("writes %d seconds as %s", (seconds, text) => expect(formatDuration(seconds)).toBe(text));
});

describe("formatAge", () => {
  it.each([
    [0.4, "now"],
    [8.9, "8 s"],
    [61, "1 min"],
    [7300, "2 h"],
    [200_000, "2 d"],
  ])("writes %d seconds as %s", (seconds, text) => expect(formatAge(seconds)).toBe(text));
});

it("shortens a list that is too long for a line", () => {
  expect(shortList(["ring", "direct", "mpi"], 3)).toBe("ring, direct, mpi");
  expect(shortList(["ring", "direct", "tree", "mpi"], 3)).toBe("ring, direct +2");
});

it("counts in words", () => {
  expect([0, 1, 2, 1234].map((count) => plural(count, "row"))).toEqual(["0 rows", "1 row", "2 rows", "1,234 rows"]);
});

it("subtracts times", () => {
  expect(secondsBetween("2026-01-01T00:00:00Z", "2026-01-01T00:01:30.500Z")).toBe(90.5);
});

describe("formatAgo", () => {
  it.each([
    [0, "just now"],
    [8, "8 s ago"],
    [300, "5 min ago"],
  ])("writes %d seconds as %s", (seconds, text) => expect(formatAgo(seconds)).toBe(text));
});

it.each([
  [[20, 20], "n=20 timed iterations each"],
  [[1], "n=1 timed iteration each"],
  [[20, 10, 12], "n=10 to 20 timed iterations"],
  [[20, null], ""],
  [[undefined], ""],
  [[], ""],
])("gives the number of iterations of rows if all rows have it: %j", (counts, text) => expect(eachOf(counts)).toBe(text));

it("takes the iterations of very many links", () => {
  expect(eachOf(Array.from({ length: 200_000 }, () => 12))).toBe("n=12 timed iterations each");
});

it("writes a small mean with its digits, and only 0 as 0.0", () => {
  expect([0, 0.000042, 0.0081, 0.05, 0.12, 3, 12.34].map(meanCount)).toEqual(["0.0", "under 0.01", "0.01", "0.05", "0.1", "3.0", "12.3"]);
});
