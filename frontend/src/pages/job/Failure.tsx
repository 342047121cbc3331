/** Of a job that failed: whose doing it was, and the last lines that were printed there. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { logOutlineQuery, logPageQuery } from "../../data/log";
import type { LogFilter } from "../../lib/logFilter";
import type { JobView, LogLine, LogOutline } from "../../api/types";
import { Loaded } from "../../components/Loaded";
import { pieces } from "../../lib/ansi";
import { formatCount, plural } from "../../lib/format";
import classes from "./Situation.module.css";

const LAST_LINES = 20;

export function Failure({ job }: { job: JobView }) {
  const attempt = job.attempts.at(-1);
  if (!attempt) return null;
  const { bad_rank: rank, bad_node: node } = attempt;
  const filter: LogFilter = rank === null ? {} : { rank };
  return (
    <>
      {(rank !== null || node !== null) && (
        <p>
          It began with {rank !== null && <strong>rank {rank}</strong>}
          {node !== null && (
            <>
              {rank === null ? "node " : " on "}
              <Link to="/nodes/$name" params={{ name: node }}>{node}</Link>
            </>
          )}
          .
        </p>
      )}
      <LogTail job={job} filter={filter} />
    </>
  );
}

function LogTail({ job, filter }: { job: JobView; filter: LogFilter }) {
  const outline = useQuery(logOutlineQuery(job.id, filter));
  const whose = filter.rank == null ? "The job" : `Rank ${filter.rank}`;
  return (
    <Loaded query={outline} what="The log could not be loaded" rows={0}>
      {(found) => (
        <div>
          <p>
            {found.lines > 0
              ? `${whose}\u2019s last ${plural(Math.min(LAST_LINES, found.lines), "line")} of ${formatCount(found.lines)}; `
              : `${whose} printed nothing; `}
            <Link to="." search={{ tab: "log" }}>the whole log</Link>
          </p>
          {found.lines > 0 && <LastLines job={job} filter={filter} outline={found} />}
        </div>
      )}
    </Loaded>
  );
}

interface LastLinesProps {
  job: JobView;
  filter: LogFilter;
  outline: LogOutline;
}

function LastLines({ job, filter, outline: { lines, cursors, lines_per_page: perPage } }: LastLinesProps) {
  // A last page of a few lines is read together with the one before.
  const isShort = lines - (cursors.length - 1) * perPage < LAST_LINES;
  const first = Math.max(0, cursors.length - (isShort ? 2 : 1));
  const count = lines - first * perPage;
  const page = useQuery(logPageQuery(job.id, filter, cursors[first] ?? null, count, count));
  return (
    <Loaded query={page} what="The last lines could not be loaded" rows={3} isBare>
      {(found) => <Tail lines={found.slice(-LAST_LINES)} />}
    </Loaded>
  );
}

function Tail({ lines }: { lines: readonly LogLine[] }) {
  return (
    // What scrolls must be reachable by keyboard.
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
