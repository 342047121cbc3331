import { type ReactNode, useState } from "react";
import { LineChart } from "../charts/LineChart";
import type { LineChartSetup } from "../charts/line";
import { type Columns, valueIn } from "../lib/sweep/lineColumns";
import classes from "./ChartPanel.module.css";
import { LineSwatch } from "./marks/LineSwatch";

interface Props extends Omit<LineChartSetup, "onHover"> {
  title: string;
  columns: Columns;
  /** A value in the legend, with its unit. */
  format: (value: number) => string;
  /** The point under the pointer in words. */
  place: (x: number) => string;
  /** The legend's values while the pointer is elsewhere, one for each line, and what they are; default: the newest ones. */
  atRest?: { word: string; values: readonly (number | null | undefined)[] };
  children?: ReactNode;
}

/** A chart over steps or time with its title, a legend with the values under the pointer or those at rest, and a caption. */
export function ChartPanel({ title, columns, format, place, atRest, children, ...setup }: Props) {
  const [hovered, setHovered] = useState<number | null>(null);
  const at = hovered === null ? undefined : columns.x[hovered];
  return (
    <figure className={classes.panel}>
      <h3>
        {title} <span className={classes.at}>{at === undefined ? "" : place(at)}</span>
      </h3>
      <div className={classes.legend}>
        {columns.x.length > 0 && <span className="dim">{at === undefined ? (atRest?.word ?? "newest") : "there"}</span>}
        {setup.lines.map((line, i) => {
          const value = atRest && hovered === null ? atRest.values[i] : valueIn(columns, i, hovered, setup.isStack);
          return (
            <span key={line.name} className={classes.entry}>
              <LineSwatch line={line} isArea={setup.isStack ?? false} />
              {line.name} <strong>{value == null ? "–" : format(value)}</strong>
            </span>
          );
        })}
      </div>
      <LineChart columns={columns} {...setup} onHover={setHovered} />
      {children && <figcaption className="dim">{children}</figcaption>}
    </figure>
  );
}

/** The class of an element that holds several panels. */
export const panelsClass = classes.panels;
