import classes from "./Caveat.module.css";
import { Mark } from "./Reasons";

/** A word beside a number that has a caveat, with the reason. */
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
