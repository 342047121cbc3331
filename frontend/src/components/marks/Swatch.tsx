import { colourToken, dashOf, widthOf } from "../../lib/sweep/style";
import classes from "./Swatch.module.css";

/** A piece of an algorithm's line as the chart draws it. */
export function Swatch({ algorithm, inPlace = false }: { algorithm: string; inPlace?: boolean }) {
  const colour = `var(${colourToken(algorithm)})`;
  return (
    <svg className={classes.swatch} width="28" height="8" aria-hidden="true">
      <line x1="0" y1="4" x2="28" y2="4" stroke={colour} strokeWidth={widthOf(inPlace)} strokeDasharray={dashOf(algorithm).join(" ")} />
      {inPlace && <circle cx="14" cy="4" r="2.5" fill={colour} />}
    </svg>
  );
}
