import { unstableWords } from "../../lib/sweep/caveats";
import { Caveat } from "./Caveat";

/** Beside a number that says little. */
export function Unstable({ cvPercent }: { cvPercent?: number | undefined }) {
  return <Caveat word="unstable" why={unstableWords(cvPercent)} />;
}
