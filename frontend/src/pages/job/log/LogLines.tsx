/** A window on a log of any length: only visible pages are loaded, and only visible lines are drawn. */
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { logPageQuery } from "../../../data/log";
import type { LogFilter } from "../../../lib/search/logFilter";
import type { LogLine, LogOutline } from "../../../api/types";
import { pieces } from "./ansi";
import { formatClock } from "../../../lib/format";
import { heightPx, type ListShape, pagesOf, scrollTo, windowAt } from "./logWindow";
import classes from "./Log.module.css";

const LINE_PX = 24; // the smallest height of a control
const NEAR_END_PX = 2;
const RANK_COLOURS = 6;

interface Props {
  jobId: number;
  outline: LogOutline;
  filter: LogFilter;
  /** The line to which the URL leads, from 1 among those that match the filter. */
  target: number | null;
  isWrapped: boolean;
  follows: boolean;
  onFollow: (follows: boolean) => void;
}

export function LogLines({ jobId, outline, filter, target, isWrapped, follows, onFollow }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const [scroll, setScroll] = useState({ topPx: 0, windowPx: 420 });
  const [measured, setMeasured] = useState<number | null>(null);
  const fitting = measured ?? Math.floor(scroll.windowPx / LINE_PX);
  const shape: ListShape = { lines: outline.lines, linePx: LINE_PX, windowPx: scroll.windowPx, fitting };
  const { first, cutPx, count } = windowAt(shape, scroll.topPx);
  // The last window is filled, however far down one scrolls.
  const start = Math.min(first, Math.max(0, outline.lines - count + 1));
  const lines = useLines(jobId, outline, filter, start, count);
  const isFiltered = Object.keys(filter).length > 0;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setScroll((old) => ({ ...old, windowPx: element.clientHeight })));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (follows && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follows, outline.lines, scroll.windowPx, fitting]);
  // While the lines of another filter are still shown, the line may be beyond their end.
  const isThere = target !== null && target <= outline.lines;
  useLayoutEffect(() => {
    if (isThere && box.current) box.current.scrollTop = scrollTo({ ...shape, windowPx: box.current.clientHeight }, target - 1);
    // Once: later lines do not move what is being read.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [target, isThere]);
  useLayoutEffect(() => {
    const ol = list.current;
    if (!ol) return;
    const top = ol.children[first - start];
    const wantedPx = (top instanceof HTMLElement ? top.offsetTop : 0) + (start === first ? cutPx : 0);
    const isAtEnd = lines.length > 0 && start + lines.length === outline.lines && !lines.includes(null);
    if (isAtEnd) setMeasured(fittingOf(ol, scroll.windowPx));
    ol.style.translate = `0 ${-Math.min(wantedPx, Math.max(0, ol.scrollHeight - scroll.windowPx))}px`;
  }, [first, start, cutPx, lines, outline.lines, scroll.windowPx]);
  const onScroll = (): void => {
    const element = box.current;
    if (!element) return;
    setScroll({ topPx: element.scrollTop, windowPx: element.clientHeight });
    onFollow(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX);
  };
  return (
    <div
      ref={box}
      className={classes.lines}
      style={{ height: `min(70vh, 640px, ${(Math.max(4, outline.lines) + 1) * LINE_PX}px)` }}
      // A scrollable region must be reachable by keyboard.
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      role="region"
      aria-label="Log lines"
      onScroll={onScroll}
    >
      <div style={{ height: heightPx(shape) }}>
        <div className={classes.window} style={{ height: scroll.windowPx }}>
          <ol ref={list} data-wrapped={isWrapped || undefined} start={start + 1}>
            {lines.map((line, i) => (
              <Line
                key={start + i}
                line={line}
                number={isFiltered ? (line?.number ?? null) : start + i + 1}
                isFiltered={isFiltered}
                isTarget={start + i + 1 === target}
              />
            ))}
          </ol>
        </div>
      </div>
    </div>
  );
}

/** How many of the last lines, at their current heights, fill the window. */
function fittingOf(list: HTMLOListElement, windowPx: number): number {
  const heights = Array.from(list.children, (line) => (line instanceof HTMLElement ? line.offsetHeight : 0)).reverse();
  let room = windowPx;
  const first = heights.findIndex((height) => (room -= height) < 0);
  return Math.max(1, first < 0 ? Math.floor(windowPx / LINE_PX) : first);
}

/** The lines from `start` on; null for a line that is loading. */
function useLines(jobId: number, outline: LogOutline, filter: LogFilter, start: number, count: number): (LogLine | null)[] {
  const perPage = outline.lines_per_page;
  const numbers = pagesOf(start, count, perPage).filter((page) => page < outline.cursors.length);
  const pages = useQueries({
    queries: numbers.map((page) =>
      logPageQuery(jobId, filter, outline.cursors[page] ?? null, perPage, outline.cursors[page + 1] ?? outline.last_id),
    ),
  });
  return Array.from({ length: Math.min(count, outline.lines - start) }, (_, i) => {
    const at = start + i;
    return pages[numbers.indexOf(Math.floor(at / perPage))]?.data?.[at % perPage] ?? null;
  });
}

interface LineProps {
  line: LogLine | null;
  /** Its number among all lines of the job; null while it is not known. */
  number: number | null;
  isFiltered: boolean;
  isTarget: boolean;
}

/** The number of a line that a filter found, with a link to that line among its neighbours. */
function Line({ line, number, isFiltered, isTarget }: LineProps) {
  return (
    <li data-stream={line?.stream} data-target={isTarget || undefined} aria-current={isTarget || undefined}>
      {number === null ? (
        <span className={classes.number}>…</span>
      ) : (
        <Link
          to="."
          search={(old) => (isFiltered ? { ...old, log: undefined, match: undefined, rank: undefined, stream: undefined, at: undefined } : old)}
          hash={`L${number}`}
          replace
          resetScroll={false}
          hashScrollIntoView={false}
          activeOptions={{ includeHash: true }}
          className={classes.number}
          aria-label={isFiltered ? `Line ${number} among all lines` : `Line ${number}`}
        >
          {number}
        </Link>
      )}
      {line === null ? (
        <span className="dim">…</span>
      ) : (
        <>
          <span className={classes.time}>{formatClock(line.time_ns / 1e6)}</span>
          <span
            className={classes.source}
            style={line.rank === null ? undefined : { borderColor: `var(--job-${line.rank % RANK_COLOURS})` }}
            title={`${line.stream} of ${line.node}`}
          >
            {line.rank === null ? (line.stream === "agent" ? "agent" : "mpiexec") : `rank ${line.rank}`}
          </span>
          <span className={classes.text}>
            {pieces(line.text).map((piece, i) => (
              <span key={i} data-colour={piece.colour ?? undefined} data-bold={piece.isBold || undefined}>
                {piece.text}
              </span>
            ))}
          </span>
        </>
      )}
    </li>
  );
}
