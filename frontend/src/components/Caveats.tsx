import type { JobView } from "../api/types";
import { type Caveat as Known, caveats } from "../lib/caveats";
import { Caveat } from "./Caveat";
import classes from "./Caveat.module.css";

/** What to know before a job's numbers are compared with others. */
export function Caveats({ job }: { job: JobView }) {
  return caveats(job).map(({ word, why }) => <Caveat key={word} word={word} why={why} />);
}

/** What is to be known before a number of a table, in one sign. */
export function CaveatSign({ found }: { found: readonly Known[] }) {
  return (
    <>
      <span className={classes.caveat} role="img" aria-label={found.map(({ word }) => word).join(", ")} title={found.map(({ word, why }) => `${word}: ${why}`).join("\n")}>
        !
      </span>{" "}
    </>
  );
}
