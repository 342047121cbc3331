import { barsLabel, barsPath } from "../../../lib/steps";

const WIDTH_PX = 128;
const HEIGHT_PX = 18;

/** The times of the last steps as bars, as small as a word. */
export function StepBars({ recentUs, mostUs }: { recentUs: readonly number[]; mostUs: number }) {
  return (
    <svg role="img" aria-label={barsLabel(recentUs)} width={WIDTH_PX} height={HEIGHT_PX} style={{ verticalAlign: "middle" }}>
      <path d={barsPath(recentUs, mostUs, WIDTH_PX, HEIGHT_PX)} stroke="var(--accent)" strokeWidth="3" fill="none" />
    </svg>
  );
}
