import { describe, expect, it } from "vitest";
import { aMember } from "../testing/fixtures";
import { clockInWords, rankRange } from "./gang";

describe("gang", () => {
  it("writes ranks as a range", () => {
    expect(rankRange(aMember({ first_rank: 4 }))).toBe("4-7");
    expect(rankRange(aMember({ first_rank: 4, ranks: 1 }))).toBe("4");
  });

  it("writes a clock with its error, and no more places than the error has", () => {
    const clock = (offset: number | null, error: number | null): string =>
      clockInWords({ clock_offset_seconds: offset, clock_error_seconds: error });
    expect(clock(0.0012367, 0.00031)).toBe("+1.24 ± 0.31 ms");
    expect(clock(-0.0421, 0.012)).toBe("−42 ± 12 ms");
    expect(clock(3600.0006, 0.002)).toBe("+3600.001 ± 0.002 s");
    expect(clock(0, 0)).toBe("+0.0 ± 0.0 ms");
    expect(clock(null, null)).toBe("not known");
  });
});
