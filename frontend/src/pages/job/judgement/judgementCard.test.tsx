// @vitest-environment jsdom
import { expect, it } from "vitest";
import type { BandwidthJudgement } from "../../../api/types";
import { Answers, drawn } from "../../../testing/page";
import { JudgementCard } from "./JudgementCard";
import { judgementLook } from "../../../lib/judgement";
import { judgementQuery } from "./query";

const REFERENCE = { kind: "published", size_bytes: 1024, busbw_gb_per_s: 480, low_gb_per_s: 414, high_gb_per_s: 547, source: "Azure ND H100 v5", url: "https://example.org/a", date: "2024-01" };
const JUDGEMENT: BandwidthJudgement = {
  word: "low by 40 %",
  sentence: "280 GB/s at 1 KiB, where published runs suggest 414 to 547 GB/s: low by 40 %.",
  version: 1,
  basis: "references",
  facts: null,
  missing: [],
  transport: [],
  references: [REFERENCE],
  sizes: [{ size_bytes: 1024, in_place: false, busbw_gb_per_s: 280, low_gb_per_s: 279, high_gb_per_s: 281, word: "low", deviation: -0.4, wire_gb_per_s: null, references: [REFERENCE, { ...REFERENCE, kind: "baseline", url: "javascript:alert(1)" }] }],
};

it("says in a sentence whether the number is OK, and by which references", async () => {
  const page = await drawn(<JudgementCard jobId={7} />, "/jobs/7", new Answers().of(judgementQuery(7), JUDGEMENT));
  expect(page.textContent).toContain("▼ low by 40 % 280 GB/s at 1 KiB, where published runs suggest 414 to 547 GB/s");
  expect(page.querySelectorAll("tbody tr")).toHaveLength(2);
  const bullet = page.querySelector("ol li");
  expect(bullet?.textContent).toBe("1 KiB280 GB/s▼ low");
  // The scale of a size ends at the largest of its references.
  expect([...(bullet?.querySelectorAll("[data-kind]") ?? [])].map((mark) => [mark.getAttribute("data-kind"), mark.getAttribute("title")])).toEqual([
    ["published", "published runs: 480 GB/s (414 to 547), Azure ND H100 v5"],
    ["baseline", "own runs: 480 GB/s (414 to 547), Azure ND H100 v5"],
  ]);
  expect(bullet?.querySelector<HTMLElement>("[data-measured]")?.style.width).toBe(`${(100 * 280) / 547}%`);
  expect([...page.querySelectorAll("a")].map(({ href }) => href)).toEqual(["https://example.org/a"]);
});

it("has a glyph and a colour for each word", () => {
  const words = ["as expected", "low by 3 %", "above what was expected", "impossible", "unknown"];
  expect(words.map((word) => judgementLook(word).tone)).toEqual(["good", "bad", "warn", "bad", "waiting"]);
  expect(new Set(words.map((word) => judgementLook(word).glyph)).size).toBe(5);
});
