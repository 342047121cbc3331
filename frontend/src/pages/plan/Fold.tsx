import { type ReactNode, useId } from "react";
import classes from "./PlanPage.module.css";

/** A card that opens on request. */
export function Fold({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <details className={classes.fold}>
        <summary>
          <h2 id={id}>{title}</h2>
        </summary>
        {children}
      </details>
    </section>
  );
}
