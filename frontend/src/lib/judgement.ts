/** Judgements of a bandwidth as glyph, word and tone. */
import type { JudgementKind } from "../api/types";
import type { StateLook } from "./state";

export const JUDGEMENTS: Record<JudgementKind, StateLook> = {
  as_expected: { glyph: "✓", text: "as expected", tone: "good" },
  low: { glyph: "▼", text: "low", tone: "bad" },
  above: { glyph: "▲", text: "above", tone: "warn" },
  impossible: { glyph: "✕", text: "impossible", tone: "bad" },
  unknown: { glyph: "?", text: "unknown", tone: "waiting" },
};

/** The look of a judgement's word as the server says it: "as expected", "low by 5 %", "above what was expected". */
export function judgementLook(word: string): StateLook {
  const kind = word === "as expected" ? "as_expected" : (word.split(" ")[0] as JudgementKind);
  return { ...(JUDGEMENTS[kind] ?? JUDGEMENTS.unknown), text: word };
}
