import type { ReactNode } from "react";
import classes from "./Fact.module.css";

interface Props {
  label: ReactNode;
  value: ReactNode;
  unit?: string;
  note?: ReactNode;
}

/** One number that answers one question; goes into a `<dl>` with the class from `factsClass`. */
export function Fact({ label, value, unit, note }: Props) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>
        <span className={classes.value}>{value}</span>
        {unit && <span className={classes.unit}> {unit}</span>}
        {note && <div className={classes.note}>{note}</div>}
      </dd>
    </div>
  );
}

export const factsClass = classes.facts;
