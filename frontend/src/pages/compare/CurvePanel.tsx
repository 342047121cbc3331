import type { ComponentProps } from "react";
import { ChartPanel } from "../../components/ChartPanel";
import { ScrollX } from "../../components/controls/ScrollX";
import { threeDigits } from "../../lib/format";

type Props = ComponentProps<typeof ChartPanel> & { isTable: boolean };

/** One chart of the curves, or its numbers: a row for each x of any of the jobs. */
export function CurvePanel({ isTable, ...chart }: Props) {
  if (!isTable) return <ChartPanel {...chart} />;
  const { title, xLabel, lines, columns, format, children } = chart;
  return (
    <figure>
      <h3>{title}</h3>
      <ScrollX label={`${title} by ${xLabel}`} isTall>
        <table>
          <caption className="hidden-visually">
            {title} by {xLabel}, a column for each job
          </caption>
          <thead>
            <tr>
              <th scope="col" className="number">{xLabel}</th>
              {lines.map(({ name }) => (
                <th key={name} scope="col" className="number">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {columns.x.map((x, row) => (
              <tr key={x}>
                <th scope="row" className="number">{threeDigits(x)}</th>
                {lines.map(({ name }, i) => {
                  const value = columns.lines[i]?.[row];
                  return <td key={name} className="number">{value == null ? (value === null ? "none" : "") : format(value)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      {children && <figcaption className="dim">{children}</figcaption>}
    </figure>
  );
}
