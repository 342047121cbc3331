import { expect, it } from "vitest";
import type { SizesResult } from "../../api/types";
import { resultLine } from "./results";

/** Ranges of sizes one after another, each of two sizes; an algorithm alone is the fastest. */
function ranges(...names: string[][]): SizesResult[] {
  return names.map((algorithms, i) => ({
    algorithms,
    is_fastest: algorithms.length === 1,
    min_bytes: 1024 << (2 * i),
    max_bytes: 2048 << (2 * i),
    size_count: 2,
  }));
}

it.each([
  [[], undefined],
  [[["direct", "ring"]], "Tied: direct or ring"],
  [[["direct", "ring", "mpi"]], "Tied: direct, ring or mpi"],
  [[["direct", "ring"], ["mpi", "ring"]], "Tied: direct or ring up to 2 KiB, mpi or ring above"],
  [[["direct"]], "Fastest: direct"],
  [[["mpi"], ["ring"]], "Fastest: mpi up to 2 KiB, ring above"],
  [[["mpi"], ["ring", "direct"], ["ring"]], "Fastest or tied: mpi up to 2 KiB, ring or direct up to 8 KiB, ring above"],
  [[["mpi"], ["ring"], ["mpi"], ["ring"], ["mpi"]], "Fastest: mpi at 6 of 10 sizes"],
  [[["mpi"], ["ring", "tree"], ["mpi"], ["ring"], ["mpi"]], "Fastest or tied: mpi at 6 of 10 sizes"],
  [[["a", "b"], ["b", "c"], ["a", "b"], ["b", "c"], ["a", "c"]], "Tied: no algorithm wins at any size"],
])("says the result of ranges of sizes in one line: %j", (names, line) => {
  expect(resultLine(ranges(...names))).toBe(line);
});

it("calls no algorithm the fastest that only ties at some sizes", () => {
  expect(resultLine(ranges(["ring"]).map((range) => ({ ...range, is_fastest: false })))).toBe("Fastest or tied: ring");
});
