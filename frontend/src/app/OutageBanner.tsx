import { useAnnouncement } from "../components/hooks/announcements";
import { useLive } from "../data/live";
import { meanwhileWords, outageWords } from "../data/outage";
import classes from "./Shell.module.css";

/** Announced once, since the sentence itself contains the seconds and changes with each of them. */
const LATE = "The server is late with its own work.";

/** Says that the server cannot be reached, or is late with its own work. The page does not move when this appears. */
export function OutageBanner() {
  const { outage, late } = useLive();
  useAnnouncement(outage ? outageWords(outage) : late === null ? "Server reachable." : LATE);
  if (!outage && late === null) return null;
  const [label, words, rest] = outage
    ? ["Server unreachable", outageWords(outage), meanwhileWords(outage)]
    : ["Server late", late, "The states and warnings on this page may be out of date."];
  return (
    <aside className={classes.outage} data-notice aria-label={label ?? undefined}>
      <p>
        <strong>
          <span aria-hidden="true">⚠ </span>
          {words}
        </strong>{" "}
        {rest}
      </p>
    </aside>
  );
}
