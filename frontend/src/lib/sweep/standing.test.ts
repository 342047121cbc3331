import { expect, it } from "vitest";
import type { Standing } from "../../api/types";
import { blocksOf, standingWords } from "./standing";

const standing: Standing = { job_id: 2, obstacles: [], algorithm: "ring", size_bytes: 1 << 20, ratio: 0.8, ratio_low: 0.78, ratio_high: 0.82 };

it("gives the speedup, what was compared, and the interval", () => {
  expect(standingWords(standing)).toEqual({ text: "+25.0 %", why: "ring at 1 MiB, out of place; 95 %: +22.0 % to +28.2 %", isClear: true });
});

it("is not clear where the interval allows either", () => {
  const close = standingWords({ ...standing, ratio: 0.99, ratio_low: 0.97, ratio_high: 1.01 });
  expect(close.isClear).toBe(false);
  expect(close.why).toMatch(/the difference is not significant$/);
  expect(standingWords({ ...standing, ratio_low: null, ratio_high: null }).isClear).toBe(false);
});

it("has a dash and the reason where there is nothing to compare", () => {
  const none = { ...standing, algorithm: null, size_bytes: null, ratio: null };
  expect(standingWords({ ...none, obstacles: ["ranks is 3, and 2 in the base job.", "Both jobs were disturbed."] })).toMatchObject({ text: "–", why: "ranks is 3, and 2 in the base job." });
  expect(standingWords(none).why).toBe("No algorithm and size in common.");
});

it("asks for jobs in blocks that a longer list does not move", () => {
  expect(blocksOf([120, 3, 101, 3])).toEqual([[3], [101, 120]]);
  expect(blocksOf([120, 3, 101, 160])).toEqual([[3], [101, 120], [160]]);
});
