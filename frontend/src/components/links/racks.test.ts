import { expect, it } from "vitest";
import { aRackLink } from "../../testing/resultFixtures";
import { isRackSlow, racksOf, wholeOf } from "./racks";

it("has a cell for two racks in either order, and names the worst", () => {
  const slow = aRackLink(["r2", "r10"], 0.5);
  const found = racksOf([aRackLink(["r2", "r2"], 2), aRackLink(["r10", "r10"], 3), slow, aRackLink([null, "r2"], 2)]);
  expect(found.names).toEqual(["", "r2", "r10"]);
  expect(found.at("r10", "r2")).toBe(slow);
  expect(found.at("", "r10")).toBeNull();
  expect(found).toMatchObject({ worst: slow, most: 3, median: 2, measured: 16, newestAt: "2026-01-01T00:00:00Z" });
  expect(["r2", "r10"].map((rack) => found.at(rack, "r2")).map((link) => link && isRackSlow(link, found))).toEqual([false, true]);
  expect(wholeOf(found, ["r10", "r2"])).toEqual({ measured: 12, median: 2 });
  expect(wholeOf(found, ["r2", "r2"])).toEqual({ measured: 4, median: 2 });
});

it("of nothing has no worst", () => expect(racksOf([])).toMatchObject({ names: [], worst: null, median: null, measured: 0 }));
