import classes from "./Caveat.module.css";

/** A word beside what says less than it seems to, and why. */
export function Caveat({ word, why }: { word: string; why: string }) {
  return (
    <>
      {" "}
      <span className={classes.caveat} title={why}>
        {word}
      </span>
    </>
  );
}
