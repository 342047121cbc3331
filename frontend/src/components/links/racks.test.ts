import { expect, it } from "vitest";
import type { RackLinkView } from "../../api/types";
import { aRackLink } from "../../testing/resultFixtures";
import { isRackSlow, racksOf, wholeOf } from "./racks";

it("has a cell for two racks in either order, and names the worst", () => {
  const slow = aRackLink(["r2", "r10"], 0.5);
  const found = racksOf([aRackLink(["r2", "r2"], 2), aRackLink(["r10", "r10"], 3), slow, aRackLink([null, "r2"], 2)]);
  expect(found.names).toEqual(["", "r2", "r10"]);
  expect(found.at("r10", "r2")).toBe(slow);
  expect(found.at("", "r10")).toBeNull();
  expect(found).toMatchObject({ worst: slow, most: 3, median: 2, medianOfSlowest: 2, measured: 16, newestAt: "2026-01-01T00:00:00Z" });
  expect(["r2", "r10"].map((rack) => found.at(rack, "r2")).map((link) => link && isRackSlow(link, found))).toEqual([false, true]);
  expect(wholeOf(found, ["r10", "r2"])).toEqual({ measured: 12, median: 2 });
  expect(wholeOf(found, ["r2", "r2"])).toEqual({ measured: 4, median: 2 });
});

it("compares the slowest direction with other slowest ones, of which two are too few", () => {
  const found = racksOf([aRackLink(["r1", "r1"], 1), aRackLink(["r2", "r2"], 3)]);
  expect(found.medianOfSlowest).toBeNull();
  expect(found.at("r1", "r1")).toSatisfy((link: RackLinkView) => !isRackSlow(link, found));
});

it("marks no racks of a healthy fabric, and those at a slow boundary", () => {
  const racks = fabric();
  const healthy = racksOf(racks);
  expect(racks.filter((link) => link.slowest_high_gb_per_s < 0.9 * (healthy.median ?? 0)).length).toBeGreaterThan(0);
  expect(racks.filter((link) => isRackSlow(link, healthy))).toEqual([]);
  const degraded = fabric((a, b) => a !== b && b === 7);
  const found = racksOf(degraded);
  const marked = degraded.filter((link) => isRackSlow(link, found));
  expect(marked).toHaveLength(15);
  expect(marked.every(({ racks: [a, b] }) => a !== b && [a, b].includes("r7"))).toBe(true);
});

/** All pairs of 512 nodes in 16 racks: rates vary by 3 %, their intervals reach 2 % to both sides, and slow ones lack a fifth. */
function fabric(isSlow: (a: number, b: number) => boolean = () => false): RackLinkView[] {
  let state = 1;
  const chance = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  const rate = (): number => Math.exp(0.03 * Math.sqrt(-2 * Math.log(chance())) * Math.cos(2 * Math.PI * chance()));
  const pairs = Array.from({ length: 16 }, (_, a) => Array.from({ length: 16 - a }, (_, more) => [a, a + more] as const)).flat();
  return pairs.map(([a, b]) => {
    const share = isSlow(a, b) || isSlow(b, a) ? 0.8 : 1;
    const rates = Array.from({ length: a === b ? 992 : 2048 }, () => share * rate()).sort((x, y) => x - y);
    const slowest = rates[0] ?? 0;
    const interval = { slowest_low_gb_per_s: 0.98 * slowest, slowest_high_gb_per_s: 1.02 * slowest };
    return aRackLink([`r${a}`, `r${b}`], slowest, { ...interval, median_gb_per_s: rates[rates.length / 2] ?? 0 });
  });
}

it("of nothing has no worst", () => expect(racksOf([])).toMatchObject({ names: [], worst: null, median: null, measured: 0 }));
