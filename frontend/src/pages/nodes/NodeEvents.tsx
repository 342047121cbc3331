import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { nodeEventsQuery } from "../../data/nodes";
import type { EventView } from "../../api/types";
import { Age } from "../../components/Age";
import { Loaded } from "../../components/states/Loaded";
import classes from "./NodesPage.module.css";

const REFRESH_MS = 10_000;

/** The newest events of a node, newest first, with the user of each. */
export function NodeEvents({ name }: { name: string }) {
  const events = useQuery({ ...nodeEventsQuery(name), refetchInterval: REFRESH_MS });
  return (
    <section className="card" aria-labelledby="events">
      <div className="card-head">
        <h2 id="events">Events</h2>
        <Link to="/settings/audit" search={{ target: `node:${name}` }} className="spread">
          All events
        </Link>
      </div>
      <div className="card-body">
        <Loaded query={events} what="The events could not be loaded" rows={4} isBare>
          {(found) => <Events events={found} />}
        </Loaded>
      </div>
    </section>
  );
}

function Events({ events }: { events: readonly EventView[] }) {
  return (
    <ol className={classes.events}>
      {events.map((event) => (
        <li key={event.id}>
          <span className="dim">
            <Age iso={event.time} />
          </span>
          <span>
            {event.action.replace("node.", "")} <span className="dim">by {event.actor}</span>
            {event.message && `: ${event.message}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
