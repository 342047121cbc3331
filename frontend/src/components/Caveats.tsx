import type { JobView } from "../api/types";
import { caveats } from "../lib/caveats";
import { Caveat } from "./Caveat";
import classes from "./Caveat.module.css";

/** What to know before a job's numbers are compared with others. */
export function Caveats({ job }: { job: JobView }) {
  return caveats(job).map(({ word, why }) => <Caveat key={word} word={word} why={why} />);
}

/** The same in one sign, before a number in a table. */
export function CaveatSign({ job }: { job: JobView }) {
  const found = caveats(job);
  if (found.length === 0) return null;
  return (
    <>
      <span className={classes.caveat} title={found.map(({ word, why }) => `${word}: ${why}`).join("\n")}>
        <span aria-hidden="true">!</span>
        <span className="hidden-visually">{found.map(({ word }) => word).join(", ")}</span>
      </span>{" "}
    </>
  );
}
