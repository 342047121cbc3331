import type { ReactNode } from "react";
import classes from "./Option.module.css";

/** A control with its name in sight beside it; the control itself has the name for screen readers. */
export function Option({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.option}>
      <span aria-hidden="true">{label}</span>
      {children}
    </div>
  );
}
