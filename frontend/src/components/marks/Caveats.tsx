import type { JobView } from "../../api/types";
import { type Caveat as Known, caveats } from "../../lib/sweep/caveats";
import { Caveat } from "./Caveat";
import classes from "./Caveat.module.css";
import { Mark } from "./Reasons";

/** The caveats to know before a job's numbers are compared with others. */
export function Caveats({ job }: { job: JobView }) {
  return caveats(job).map(({ word, why }) => <Caveat key={word} word={word} why={why} />);
}

/** The caveats of a number in a table, as one sign. */
export function CaveatSign({ found, isInRow }: { found: readonly Known[]; isInRow?: boolean }) {
  return (
    <>
      <Mark className={classes.caveat} aria-label={found.map(({ word }) => word).join(", ")} why={found.map(({ word, why }) => `${word}: ${why}`).join("\n")} isInRow={isInRow}>
        !
      </Mark>{" "}
    </>
  );
}
