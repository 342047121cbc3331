import classes from "./Caveat.module.css";
import { Mark } from "./Reasons";

/** A word beside what says less than it seems to, and why. */
export function Caveat({ word, why }: { word: string; why: string }) {
  return (
    <>
      {" "}
      <Mark className={classes.caveat} why={why}>
        {word}
      </Mark>
    </>
  );
}
