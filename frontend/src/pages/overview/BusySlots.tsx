import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BusySlotsView } from "../../api/types";
import { busySlotsQuery } from "../../data/nodes";
import { QueryError } from "../../components/states/QueryError";
import { formatDateTime, meanCount, percent, plural } from "../../lib/format";
import { hourly, stepsOf } from "./steps";
import classes from "./Overview.module.css";

/** How many slots were busy over the last day; its room is reserved while it loads. */
export function BusySlots({ total }: { total: number }) {
  const query = useQuery(busySlotsQuery);
  const { data } = query;
  if (!data) return <div className={classes.day}>{query.error && <QueryError what="The busy slots could not be loaded" query={query} />}</div>;
  const { points, mean, most } = stepsOf(data, total);
  const share = total > 0 ? ` (${percent(mean / total)})` : "";
  const caption = `Busy slots over the last 24 hours: ${meanCount(mean)} of ${plural(total, "slot")} on average${share}, ${meanCount(most)} in the busiest quarter of an hour.`;
  return (
    <figure className={classes.day}>
      <svg role="img" aria-label={caption} viewBox="0 0 1 1" preserveAspectRatio="none">
        <polygon points={`0,1 ${points} 1,1`} fill="var(--busy-soft)" />
        <polyline points={points} fill="none" stroke="var(--busy)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
      </svg>
      <p className={`dim ${classes.axis}`} aria-hidden="true">
        <span>24 h ago</span>
        <span>12 h ago</span>
        <span>now</span>
      </p>
      <figcaption className="dim">
        {caption}
        <Hours day={data} />
      </figcaption>
    </figure>
  );
}

/** The same numbers by the hour; drawn only when opened. */
function Hours({ day }: { day: BusySlotsView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <table>
          <thead>
            <tr>
              <th scope="col">Hour from</th>
              <th scope="col" className="number">Busy slots, mean</th>
            </tr>
          </thead>
          <tbody>
            {hourly(day).map(({ time, busy }) => (
              <tr key={time}>
                <td>{formatDateTime(time)}</td>
                <td className="number">{meanCount(busy)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
