import type { ReactNode } from "react";
import classes from "./Properties.module.css";

/** Names and values, one line each. */
export function Properties({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={classes.list}>
      {items.map(([name, value]) => (
        <div key={name} className={classes.item}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
