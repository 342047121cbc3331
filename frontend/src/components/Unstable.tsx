import { Caveat } from "./Caveat";

/** Beside a number that says little. */
export function Unstable({ cvPercent }: { cvPercent?: number | undefined }) {
  const cv = cvPercent === undefined ? "" : ` (cv ${Math.round(cvPercent)} %)`;
  return <Caveat word="unstable" why={`The iterations differ so much that their mean says little${cv}: cv above 20 %, or p99 above 10 times the median.`} />;
}
