import { describe, expect, it } from "vitest";
import type { MemberView } from "../api/types";
import { awaited, clockInWords, rankRange } from "./gang";

function aMember(change: Partial<MemberView> = {}): MemberView {
  return {
    node: "h1",
    first_rank: 0,
    ranks: 4,
    phase: "assigned",
    ready_at: null,
    running_at: null,
    ended_at: null,
    clean_at: null,
    clock_offset_seconds: null,
    clock_error_seconds: null,
    ...change,
  };
}

function aGang(...phases: MemberView["phase"][]): MemberView[] {
  return phases.map((phase, index) => aMember({ node: `h${index + 1}`, phase }));
}

describe("gang", () => {
  it("names who keeps the others waiting", () => {
    expect(awaited(aGang("ready", "assigned", "ready"))).toBe("node h2 of 3 to be ready");
    expect(awaited(aGang("ready", "assigned", "assigned"))).toBe("2 of 3 nodes to be ready: h2, h3");
    expect(awaited(aGang("running", "ready"))).toBe("node h2 of 2 to start ranks");
    expect(awaited(aGang("assigned"))).toBe("node h1 to be ready");
    expect(awaited(aGang("running", "running"))).toBe("");
    expect(awaited([])).toBe("");
  });

  it("does not name a hundred nodes", () => {
    expect(awaited(aGang(...Array<"assigned">(100).fill("assigned")))).toBe(
      "100 of 100 nodes to be ready: h1, h2, h3, h4 +96",
    );
  });

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
