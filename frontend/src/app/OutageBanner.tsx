import { useAnnouncement } from "../components/announcements";
import { useLive } from "../data/live";
import { outageWords } from "../data/outage";
import classes from "./Shell.module.css";

/** That the server cannot be reached, and how old what is shown is. Nothing of the page moves when it comes. */
export function OutageBanner() {
  const { outage } = useLive();
  useAnnouncement(outage ? outageWords(outage) : "Server reachable.");
  if (!outage) return null;
  return (
    <aside className={classes.outage} aria-label="Server unreachable">
      <p>
        <strong>
          <span aria-hidden="true">⚠ </span>
          {outageWords(outage)}
        </strong>{" "}
        It is asked again every few seconds; nothing needs to be loaded again.
      </p>
    </aside>
  );
}
