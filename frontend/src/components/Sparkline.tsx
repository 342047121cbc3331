import type { SizeBusbw } from "../api/types";
import { sparkLabel, sparkPoints } from "../lib/sweep/sparkline";

const WIDTH_PX = 72;
const HEIGHT_PX = 18;

/** A curve as small as a word, with `words` about its numbers; nothing if fewer than two sizes were measured. */
export function Sparkline({ sizes, words }: { sizes: readonly SizeBusbw[]; words: readonly string[] }) {
  const points = sparkPoints(sizes, WIDTH_PX, HEIGHT_PX);
  if (points === "") return null;
  return (
    <svg role="img" aria-label={sparkLabel(sizes, words)} width={WIDTH_PX} height={HEIGHT_PX} style={{ overflow: "visible", verticalAlign: "middle" }}>
      <polyline points={points} fill="none" stroke="var(--accent)" strokeWidth="1.5" />
    </svg>
  );
}
