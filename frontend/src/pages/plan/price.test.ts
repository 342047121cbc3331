import { describe, expect, it } from "vitest";
import { priceInWords } from "./price";

describe("priceInWords", () => {
  it("marks an upper bound", () => {
    expect(priceInWords({ time_s: 0.001, is_bound: false })).toBe("1 ms");
    expect(priceInWords({ time_s: 0.001, is_bound: true })).toBe("at most 1 ms");
  });
});
