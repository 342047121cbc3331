import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { lineOf, MOST_JOBS } from "../lib/sweep/compare";
import { PARTS } from "../lib/curve";
import { aligned } from "./line";

it("gives the whole of a stack first, so that its parts are painted over it", () => {
  const columns = { x: [0, 1], lines: [[1, 2], [3, null]] };
  expect(aligned(columns)).toEqual([[0, 1], [1, 2], [3, null]]);
  expect(aligned(columns, true)).toEqual([[0, 1], [3, null], [1, 2]]);
});

it("has a colour for every part of a step and every job of a comparison", () => {
  const tokens = readFileSync(`${process.cwd()}/src/app/tokens.css`, "utf8");
  const jobs = Array.from({ length: MOST_JOBS }, (_, i) => lineOf(i, [0, 1, 2, 3, 4, 5]).colour);
  for (const name of [...jobs, ...PARTS.map((part) => `--part-${part}`)]) expect(tokens).toContain(`  ${name}: `);
});
