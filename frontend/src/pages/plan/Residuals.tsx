import type { Residual } from "../../api/types";
import { colourToken } from "../../lib/sweep/style";
import { sizeRange } from "../../lib/sweep/axes";
import { Caption } from "../../components/marks/Caption";
import { ScrollX } from "../../components/controls/ScrollX";
import { aligned, timeUnit } from "./column";
import { errorRange, offBy, offByInWords } from "./planFit";
import { formatSize } from "../../lib/size";
import classes from "./PlanPage.module.css";

const WIDTH = 520;
const HEIGHT = 180;
const LEFT = 70;
const BOTTOM = 24;
const WORST = 5;

/** The model's error for each row, over the size; and the rows with the largest errors, which come first. */
export function Residuals({ residuals }: { residuals: readonly Residual[] }) {
  const [from, to] = sizeRange(residuals.map((row) => row.size_bytes));
  const most = errorRange(residuals);
  const worst = residuals.slice(0, WORST);
  const { unit, perSecond } = timeUnit(worst.map((row) => row.measured_us / 1e6));
  const measured = aligned(worst.map((row) => (row.measured_us / 1e6) * perSecond));
  const model = aligned(worst.map((row) => (row.model_us / 1e6) * perSecond));
  const x = (size: number): number => LEFT + ((WIDTH - LEFT - 12) * Math.log2(Math.max(size, from) / from)) / Math.log2(to / from);
  const y = (share: number): number => 8 + ((HEIGHT - BOTTOM - 8) * (most - share)) / (2 * most);
  return (
    <figure className={classes.panel}>
      <h3>How far the model is off each row</h3>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={classes.residuals} aria-hidden="true">
        {[most, 0, -most].map((share) => (
          <g key={share}>
            <line x1={LEFT} x2={WIDTH - 12} y1={y(share)} y2={y(share)} className={share === 0 ? classes.zero : classes.grid} />
            <text x={LEFT - 6} y={y(share) + 4} textAnchor="end">
              {share > 0 ? "+" : share < 0 ? "−" : ""}
              {Math.round(100 * Math.abs(share))} %
            </text>
          </g>
        ))}
        {[from, to].map((size, i) => (
          <text key={size} x={x(size)} y={HEIGHT - 6} textAnchor={i === 0 ? "start" : "end"}>
            {formatSize(size)}
          </text>
        ))}
        {residuals.map((row, i) => (
          <circle key={i} cx={x(row.size_bytes)} cy={y(offBy(row))} r={4} style={{ stroke: `var(${colourToken(row.algorithm)})` }} />
        ))}
      </svg>
      <ScrollX label="The rows furthest off">
        <table>
          <caption className="hidden-visually">The rows with the largest errors of the model</caption>
          <thead>
            <tr>
              <th scope="col">Furthest off</th>
              <th scope="col" className="number">Size</th>
              <th scope="col" className="number">Measured ({unit})</th>
              <th scope="col" className="number">Model ({unit})</th>
              <th scope="col" className="number">Off by</th>
            </tr>
          </thead>
          <tbody>
            {worst.map((row, i) => (
              <tr key={i}>
                <th scope="row">{row.algorithm}</th>
                <td className="number">{formatSize(row.size_bytes)}</td>
                <td className="number">{measured[i]}</td>
                <td className="number">{model[i]}</td>
                <td className="number">{offByInWords(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <Caption>Each circle is a row of the job (median time); above 0 the model takes longer than was measured.</Caption>
    </figure>
  );
}
