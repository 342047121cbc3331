/** Where a step's time goes for each candidate of a search, as lanes. The geometry, without SVG. */
import type { SearchCandidate } from "../api/types";
import { type LanePicture, lanePicture, timeAxis } from "./lanes";

export interface PartBar {
  part: "compute" | "input" | "exposed";
  timeUs: number;
  startPx: number;
  endPx: number;
}

export interface SearchLane {
  name: string;
  topPx: number;
  bars: PartBar[];
}

/** A lane for each candidate that ran, on one axis of time from the start of a step. */
export function searchLanes(candidates: readonly SearchCandidate[], widthPx: number): LanePicture<SearchLane> {
  const timed = candidates.filter(({ step_us: stepUs }) => stepUs != null);
  const { at, ticks } = timeAxis(Math.max(0, ...timed.map(({ step_us: stepUs }) => stepUs ?? 0)), widthPx);
  return lanePicture(timed, ticks, (line, topPx) => ({ name: line.name, topPx, bars: barsOf(line, at) }));
}

function barsOf(line: SearchCandidate, at: (timeUs: number) => number): PartBar[] {
  const parts = { compute: line.compute_us ?? 0, input: line.input_us ?? 0, exposed: line.exposed_us ?? 0 };
  let sinceUs = 0;
  return (Object.entries(parts) as [PartBar["part"], number][]).map(([part, timeUs]) => {
    const startPx = at(sinceUs);
    sinceUs += timeUs;
    return { part, timeUs, startPx, endPx: at(sinceUs) };
  });
}
