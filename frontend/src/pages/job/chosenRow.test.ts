import { expect, it } from "vitest";
import { rowOptions } from "./chosenRow";
import { aRow } from "../../testing/resultFixtures";

const rows = [
  aRow({ id: 1, size_bytes: 2048 }),
  aRow({ id: 2, size_bytes: 1024 }),
  aRow({ id: 3, size_bytes: 1024, in_place: true }),
  aRow({ id: 4, size_bytes: 4096, algorithm: "mpi" }),
  aRow({ id: 5, size_bytes: 1024, cycle: 1 }),
];

it("is the largest size of the first algorithm, out of place, where the URL says nothing or what is not there", () => {
  const found = rowOptions(rows, ["ring", "mpi"], {});
  expect([found.algorithm, found.inPlace, found.chosen?.id]).toEqual(["ring", false, 1]);
  expect(found.rows.map((row) => row.id)).toEqual([5, 1]);
  expect(rowOptions(rows, ["ring", "mpi"], { algorithm: "tree", size: "8" }).chosen?.id).toBe(1);
});

it("has several cycles as one, as the tables of results have", () => {
  const cycles = [aRow({ size_bytes: 8, min_us: 2, p99_us: 100, max_us: 120 }), aRow({ size_bytes: 8, cycle: 1, min_us: 1, p99_us: 10, max_us: 20 })];
  const [row] = rowOptions(cycles, ["ring"], {}).rows;
  expect(row).toMatchObject({ min_us: 1, p99_us: 100, max_us: 120, iterations: 40 });
});

it("is what the URL says", () => {
  expect(rowOptions(rows, ["ring", "mpi"], { size: "1024" }).chosen?.id).toBe(5);
  expect(rowOptions(rows, ["ring", "mpi"], { size: "1024", place: "in" }).chosen?.id).toBe(3);
  expect(rowOptions(rows, ["ring", "mpi"], { algorithm: "mpi" }).chosen?.id).toBe(4);
  expect(rowOptions([], ["ring"], {}).chosen).toBeNull();
});
