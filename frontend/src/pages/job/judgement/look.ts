/** The glyph and the colour of a judgement. */
export function look(word: string): { glyph: string; tone: "good" | "bad" | "warn" | "waiting" } {
  if (word === "as expected") return { glyph: "✓", tone: "good" };
  if (word === "impossible") return { glyph: "✕", tone: "bad" };
  if (word === "unknown") return { glyph: "?", tone: "waiting" };
  return word.startsWith("low") ? { glyph: "▼", tone: "bad" } : { glyph: "▲", tone: "warn" };
}
