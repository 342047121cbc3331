/** What the ranks, their launcher and the agents printed. */
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { logQuery, MAX_ITEMS } from "../../api/queries";
import type { LogLine } from "../../api/types";
import { ErrorNote } from "../../components/ErrorNote";
import { formatClock, plural } from "../../lib/format";
import { filterLog } from "../../lib/log";
import classes from "./Log.module.css";

const route = getRouteApi("/jobs/$jobId");
const NEAR_END_PX = 40;

export function Log({ jobId, isOver }: { jobId: number; isOver: boolean }) {
  const { log: text = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(logQuery(jobId));
  const [follows, setFollows] = useState(!isOver);
  const lines = filterLog(query.data ?? [], text);
  const filter = (value: string): void =>
    void navigate({
      search: (old) => ({ ...old, log: value }),
      replace: true,
      resetScroll: false,
    });
  return (
    <section className="card" aria-labelledby="log">
      <div className="card-head">
        <h2 id="log">Log</h2>
        <span className="dim">{countText(query.data?.length ?? 0, lines.length)}</span>
        <div className={classes.tools}>
          <TextInput
            type="search"
            size="xs"
            aria-label="Lines with this text, or rank:2"
            placeholder="text or rank:2"
            value={text}
            onChange={(event) => filter(event.currentTarget.value)}
          />
          <Checkbox
            label="Follow"
            checked={follows}
            onChange={(event) => setFollows(event.currentTarget.checked)}
          />
          <Button component="a" href={`/api/v1/jobs/${jobId}/log?limit=500`}>
            JSON
          </Button>
        </div>
      </div>
      {query.error && <ErrorNote what="The log could not be loaded" error={query.error} onRetry={() => void query.refetch()} />}
      <Lines lines={lines} follows={follows} onLeave={() => setFollows(false)} empty={emptyText(isOver, text)} />
    </section>
  );
}

function countText(loaded: number, shown: number): string {
  const total = loaded < MAX_ITEMS ? plural(loaded, "line") : `the first ${plural(loaded, "line")}`;
  return shown < loaded ? `${shown.toLocaleString("en")} of ${total}` : total;
}

function emptyText(isOver: boolean, text: string): string {
  if (text) return "No line matches.";
  return isOver ? "The job printed nothing." : "Nothing printed yet.";
}

interface LinesProps {
  lines: readonly LogLine[];
  follows: boolean;
  onLeave: () => void;
  empty: string;
}

function Lines({ lines, follows, onLeave, empty }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (follows && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines.length, follows]);
  const onWheel = (): void => {
    const element = box.current;
    if (element && element.scrollHeight - element.scrollTop - element.clientHeight > NEAR_END_PX) onLeave();
  };
  return (
    // A scrollable region must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={box} className={classes.lines} tabIndex={0} role="region" aria-label="Log lines" onWheel={onWheel}>
      {lines.length === 0 ? (
        <p className="dim">{empty}</p>
      ) : (
        <ol>
          {lines.map((line) => (
            <li key={line.id} data-stream={line.stream}>
              <span className="dim">{formatClock(line.time_ns / 1e6)}</span>
              <span className={classes.source} title={`${line.stream} of ${line.node}`}>
                {line.rank === null ? line.stream === "agent" ? "agent" : "mpiexec" : `rank ${line.rank}`}
              </span>
              <span className={classes.text}>{line.text}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
