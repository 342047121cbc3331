import { expect, test } from "vitest";
import { sparkLabel, sparkPoints } from "./sparkline";

const SIZES = [
  { size_bytes: 1024, busbw_gb_per_s: 1 },
  { size_bytes: 4096, busbw_gb_per_s: 4 },
  { size_bytes: 16_384, busbw_gb_per_s: 2 },
];

test("sizes go from left to right by their logarithm, bandwidth from 0 upwards", () => {
  expect(sparkPoints(SIZES, 80, 20)).toBe("0,15 40,0 80,10");
});

test("what is no curve is not drawn", () => {
  expect(sparkPoints([], 80, 20)).toBe("");
  expect(sparkPoints(SIZES.slice(0, 1), 80, 20)).toBe("");
  expect(sparkPoints(SIZES.map((one) => ({ ...one, busbw_gb_per_s: 0 })), 80, 20)).toBe("");
  expect(sparkPoints([{ size_bytes: 0, busbw_gb_per_s: 0 }, ...SIZES], 80, 20)).toBe(sparkPoints(SIZES, 80, 20));
});

test("a reader hears both ends", () => {
  expect(sparkLabel(SIZES, [])).toBe("Bus bandwidth over sizes: 1.00 GB/s at 1 KiB to 2.00 GB/s at 16 KiB");
  expect(sparkLabel(SIZES, ["SIMULATED", "unstable"])).toMatch(/GB\/s at 16 KiB, SIMULATED, unstable$/);
});
