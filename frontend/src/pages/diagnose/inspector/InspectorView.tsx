/** Records of NCCL Inspector: bus bandwidth of each communicator, collective and size, with its drops. */
import { useState } from "react";
import type { InspectorPart, InspectorSeries } from "../../../api/types";
import { Button } from "@mantine/core";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Caption } from "../../../components/marks/Caption";
import { plural, threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { Part } from "../Part";
import { SeriesChart } from "./SeriesChart";
import classes from "../Diagnose.module.css";

/** Charts at first; a button draws the others. */
const FIRST = 4;

export function InspectorView({ part, names }: { part: InspectorPart; names: readonly string[] }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? part.series : part.series.slice(0, FIRST);
  const rest = part.series.length - shown.length;
  const drops = part.series.filter((series) => series.drop_sentence !== null && series.drop_sentence !== part.answer);
  return (
    <Part title="Bandwidth while a job ran" answer={part.answer} isClean={part.series.every((series) => series.drops === 0)} command="nccl-inspector" names={names}>
      {drops.slice(0, FIRST).map(({ drop_sentence: sentence }, i) => (
        <p key={i}>{sentence}</p>
      ))}
      {part.notes.map((note) => (
        <p key={note} className="dim">{note}</p>
      ))}
      <div className={classes.charts}>
        {shown.map((series) => (
          <figure key={nameOf(series)} className={classes.part}>
            <h3>
              {series.collective} of {formatSize(series.size_bytes)}, {plural(series.ranks, "rank")} <span className="dim mono">{series.communicator}</span>
            </h3>
            <SeriesChart series={series} />
          </figure>
        ))}
      </div>
      {rest > 0 && <Button className={classes.more} onClick={() => setAll(true)}>Draw {rest} more</Button>}
      <Caption more="A drop is a record below half of the median of a series with at least 8 records. A hollow point contradicts its own size and time, and counts for nothing. Of very many records the lowest and the highest of each stretch are drawn.">
        Bus bandwidth of each record by its operation&rsquo;s number; the dashed line is the median, a triangle marks a drop.
      </Caption>
      <Table part={part} />
    </Part>
  );
}

function nameOf({ communicator, collective, size_bytes: size }: InspectorSeries): string {
  return `${communicator}/${collective}/${size}`;
}

function Table({ part }: { part: InspectorPart }) {
  return (
    <ScrollX label="Series of bus bandwidth" isTall>
      <table>
        <thead>
          <tr>
            <th scope="col">Communicator</th>
            <th scope="col">Collective</th>
            <th scope="col" className="number">Ranks</th>
            <th scope="col" className="number">Size</th>
            <th scope="col" className="number">Records</th>
            <th scope="col" className="number">Lowest (GB/s)</th>
            <th scope="col" className="number">Median (GB/s)</th>
            <th scope="col" className="number">Highest (GB/s)</th>
            <th scope="col" className="number">Drops</th>
          </tr>
        </thead>
        <tbody>
          {part.series.map((series) => (
            <tr key={nameOf(series)}>
              <th scope="row" className="mono">{series.communicator}</th>
              <td>{series.collective}</td>
              <td className="number">{series.ranks}</td>
              <td className="number">{formatSize(series.size_bytes)}</td>
              <td className="number">{series.records}</td>
              <td className="number">{threeDigits(series.lowest_busbw_gb_per_s)}</td>
              <td className="number">{threeDigits(series.median_busbw_gb_per_s)}</td>
              <td className="number">{threeDigits(series.highest_busbw_gb_per_s)}</td>
              <td className={`number ${series.drops > 0 ? classes.minority : ""}`}>{series.drops}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {part.series_omitted > 0 && <p className="dim">and {part.series_omitted} more series</p>}
    </ScrollX>
  );
}
