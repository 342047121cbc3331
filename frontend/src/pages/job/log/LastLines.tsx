/** The last lines of a failed job, of the rank where the failure began. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { logOutlineQuery, logPageQuery } from "../../../data/log";
import type { LogFilter } from "../../../lib/search/logFilter";
import type { JobView, LogLine, LogOutline } from "../../../api/types";
import { Loaded } from "../../../components/states/Loaded";
import { pieces } from "./ansi";
import { formatCount, plural } from "../../../lib/format";
import classes from "./LastLines.module.css";

const LAST_LINES = 20;

export function LastLines({ job }: { job: JobView }) {
  const rank = job.attempts.at(-1)?.bad_rank ?? null;
  const filter: LogFilter = rank === null ? {} : { rank };
  const outline = useQuery(logOutlineQuery(job.id, filter));
  // Other ranks or the launcher may have printed something.
  const whole = useQuery({ ...logOutlineQuery(job.id, {}), enabled: rank !== null && outline.data?.lines === 0 });
  const whose = rank === null ? "The job" : `Rank ${rank}`;
  return (
    <Loaded query={outline} what="The log could not be loaded" rows={2} isBare>
      {(found) => (
        <>
          <div className={`card-head ${classes.head}`}>
            <h2 id="now">
              {found.lines > 0
                ? `${whose}\u2019s last ${plural(Math.min(LAST_LINES, found.lines), "line")} of ${formatCount(found.lines)}`
                : `${whose} printed nothing`}
            </h2>
            {(found.lines > 0 || (whole.data?.lines ?? 0) > 0) && (
              <Link className="spread" to="." search={{ tab: "log" }}>
                All lines
              </Link>
            )}
          </div>
          {found.lines > 0 && <Lines job={job} filter={filter} outline={found} />}
        </>
      )}
    </Loaded>
  );
}

interface LinesProps {
  job: JobView;
  filter: LogFilter;
  outline: LogOutline;
}

function Lines({ job, filter, outline: { lines, cursors, last_id: lastId, lines_per_page: perPage } }: LinesProps) {
  // A last page of a few lines is read together with the previous one.
  const isShort = lines - (cursors.length - 1) * perPage < LAST_LINES;
  const first = Math.max(0, cursors.length - (isShort ? 2 : 1));
  const count = lines - first * perPage;
  const page = useQuery(logPageQuery(job.id, filter, cursors[first] ?? null, count, lastId));
  return (
    <Loaded query={page} what="The last lines could not be loaded" rows={3} isBare>
      {(found) => <Tail lines={found.slice(-LAST_LINES)} />}
    </Loaded>
  );
}

function Tail({ lines }: { lines: readonly LogLine[] }) {
  return (
    // A scrollable region must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={classes.tail} tabIndex={0} role="region" aria-label="Last lines of the log">
      {lines.map((line) => (
        <span key={line.id} data-stream={line.stream}>
          {line.rank !== null && <span className="dim">{`rank ${line.rank}: `}</span>}
          {pieces(line.text).map((piece) => piece.text)}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
