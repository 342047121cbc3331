import { expect, it } from "vitest";
import { aJob, aSimulation } from "../../../testing/fixtures";
import { expectedRows } from "./stepRows";

it("is a row for each rank, up to sixteen, and one for a simulation", () => {
  expect(expectedRows(aJob())).toBe(4);
  expect(expectedRows(aJob({ ranks: 100 }))).toBe(16);
  expect(expectedRows(aJob({ spec: aSimulation() }))).toBe(1);
});
