/** The changes of the algorithm that `auto` made while a job trained, newest first; nothing if there are none. */
import type { EventView } from "../../../api/types";
import { formatDateTime, formatTime, plural } from "../../../lib/format";
import classes from "./AlgorithmChanges.module.css";

const ACTION = "job.algorithm_changed";

export function AlgorithmChanges({ events }: { events: readonly EventView[] }) {
  const [newest, ...before] = events.filter((event) => event.action === ACTION).reverse();
  if (!newest) return null;
  return (
    <section className={`card ${classes.changes}`} aria-label="Changes of the algorithm">
      <Change event={newest} />
      {before.length > 0 && (
        <details>
          <summary className="dim">{plural(before.length, "change")} of the algorithm before</summary>
          {before.map((event) => (
            <Change key={event.id} event={event} />
          ))}
        </details>
      )}
    </section>
  );
}

function Change({ event }: { event: EventView }) {
  return (
    <p>
      <time className="dim" dateTime={event.time} title={formatDateTime(event.time)}>
        {formatTime(Date.parse(event.time))}
      </time>{" "}
      {event.message}
    </p>
  );
}
