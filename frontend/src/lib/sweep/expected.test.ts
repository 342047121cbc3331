import { describe, expect, it } from "vitest";
import type { JobPrediction } from "../../api/types";
import { aBest } from "../../testing/fixtures";
import { expectedOf } from "./expected";

const best = aBest({ algorithm: "ring", size_bytes: 1024, in_place: false, busbw_gb_per_s: 1.8 });
const earlier = { algorithm: "ring", size_bytes: 1024, in_place: false, median_gb_per_s: 2, least_gb_per_s: 1.5, runs: 5, is_disturbed: false };
const nothing: JobPrediction = { baseline: [], limit: null, model: null, needed_runs: 3 };
const limit = { busbw_gb_per_s: 12, because: "" };

describe("what a job should have reached", () => {
  it("is the median of earlier runs of the same row, and low only below all of them", () => {
    const found = expectedOf(best, { ...nothing, baseline: [{ ...earlier, in_place: true }, earlier], limit });
    expect(found).toEqual({ share: 0.9, isLow: false, note: "of 2.00 GB/s, median of 5 earlier runs" });
    expect(expectedOf(best, { ...nothing, baseline: [{ ...earlier, least_gb_per_s: 1.9 }] })?.isLow).toBe(true);
  });

  it("is the limit of the link without earlier runs and without a fitted model", () => {
    expect(expectedOf(best, { ...nothing, limit })).toMatchObject({ share: 0.15, isLow: null });
  });

  it("is unknown where nothing is known", () => {
    expect(expectedOf(best, nothing)).toBeNull();
  });
});
