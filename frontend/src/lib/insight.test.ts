import { describe, expect, it } from "vitest";
import type { InsightDetail } from "../api/types";
import { lastedWords, ranksWords, stacksOf } from "./insight";

const SINCE = "2026-01-01T00:00:00Z";

describe("lastedWords", () => {
  it("says that it is so now, or for how long it was", () => {
    expect(lastedWords({ since: SINCE, until: null })).toBe("now");
    expect(lastedWords({ since: SINCE, until: "2026-01-01T00:00:12Z" })).toBe("for 12 s");
  });
});

describe("stacksOf", () => {
  it("gives what is there, and nothing before it is", () => {
    const hang: InsightDetail = {
      id: 1, attempt_id: 1, kind: "hang", rank: 2, node: "n1", message: "", since: SINCE, until: null, evidence: {},
    };
    const reported = { rank: 2, node: "n1", source: "py-spy", stack: "wait" };
    expect(stacksOf(undefined)).toEqual([]);
    expect(stacksOf(hang)).toEqual([]);
    const stack = { ranks: [{ rank: 2, node: "n1" }], source: "py-spy", text: "wait" };
    expect(stacksOf({ ...hang, evidence: { stacks: [reported] } })).toEqual([stack]);
  });

  it("puts ranks that wait at the same place together", () => {
    const reported = [0, 1, 2].map((rank) => ({
      rank, node: "n1", source: "faulthandler", stack: `Current thread 0x7f${rank}a (most recent call first):\n  ${rank >> 1}`,
    }));
    const [first, second] = stacksOf({ evidence: { stacks: reported } } as unknown as InsightDetail);
    expect(first && ranksWords(first)).toBe("Rank 0 on n1, rank 1 on n1");
    expect(first?.text).toBe("Current thread (most recent call first):\n  0");
    expect(second && ranksWords(second)).toBe("Rank 2 on n1");
  });
});
