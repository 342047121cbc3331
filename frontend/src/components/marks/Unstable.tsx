import { unstableWords } from "../../lib/sweep/caveats";
import { Caveat } from "./Caveat";

/** Marks a number whose iterations vary too much. */
export function Unstable({ cvPercent }: { cvPercent?: number | undefined }) {
  return <Caveat word="unstable" why={unstableWords(cvPercent)} />;
}
