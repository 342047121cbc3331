import type { ComparedRow } from "../../api/types";
import type { Delta } from "../../lib/sweep/comparedRows";
import { placeOn, type RatioScale } from "./compareSweeps";
import classes from "./ComparePage.module.css";

const WIDTH = 140;
const HEIGHT = 16;
const EDGE = 5;

interface Props {
  against: NonNullable<ComparedRow["against"]>;
  delta: Delta;
  scale: RatioScale;
}

/** A ratio and its 95 % interval on the scale of the whole table, with a line where the times are equal. */
export function IntervalBar({ against, delta, scale }: Props) {
  const x = (ratio: number): number => EDGE + (WIDTH - 2 * EDGE) * placeOn(scale, ratio);
  const { ratio, ratio_low: low, ratio_high: high } = against;
  const words = delta.interval ? `95 % interval: ${delta.interval}` : "no 95 % interval";
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} className={classes.interval} data-mark={delta.mark} role="img" aria-label={words}>
      <title>{`${words}; iterations vary by ${delta.noise}`}</title>
      <line x1={x(1)} x2={x(1)} y1={0} y2={HEIGHT} className={classes.equal} />
      {low !== null && high !== null && <line x1={x(low)} x2={x(high)} y1={HEIGHT / 2} y2={HEIGHT / 2} className={classes.range} />}
      <circle cx={x(ratio)} cy={HEIGHT / 2} r={3.5} />
    </svg>
  );
}
