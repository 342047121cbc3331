import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { OperationTrace } from "../../api/types";
import { Hops } from "./Hops";

const hop = { messages: 4, bytes: 65_536, wire_ns: 18_000_000, times_longer: 1, is_slow: false };
const SLOW = { ...hop, src: "h5", dst: "h6", wire_ns: 109_000_000, times_longer: 6, is_slow: true };

function text(change: Partial<OperationTrace>): string {
  const html = renderToStaticMarkup(<Hops trace={{ hops: [], slow_links: [], ...change } as unknown as OperationTrace} />);
  return html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ").trim();
}

it("names the slow hop first, with its sentence, and is absent for ranks of one node", () => {
  const sentence = "The link of node h5 is slow.";
  const shown = text({ hops: [{ ...hop, src: "h1", dst: "h2" }, SLOW], slow_links: [sentence] });
  expect(shown).toContain(`⚠ ${sentence} 2 hops between nodes, 1 of them slow`);
  expect(shown).toContain("h5 to h6 4 64 KiB 109 ms ⚠ slow, 6×");
  expect(shown.indexOf("h5 to h6")).toBeLessThan(shown.indexOf("h1 to h2"));
  expect(text({ hops: [{ ...SLOW, is_slow: false, times_longer: null }] })).toContain("1 hop between nodes; they cannot be compared");
  expect(text({})).toBe("");
});
