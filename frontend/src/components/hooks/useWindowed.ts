import { type RefObject, startTransition, useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { rowsInView, type Span } from "../../lib/windowed";

/** One: on a large screen each further row is some thirty elements that the browser lays out again. */
const SPARE = 1;
/** A table of at most this many rows is drawn completely. */
const SHORT = 40;
/** The height of what covers rows at the edges of the window: the top bar and the selection bar. */
const EDGE_PX = 64;

interface Windowed extends Span {
  /** The ref of the table body. */
  body: RefObject<HTMLTableSectionElement | null>;
  /** Draws a row, scrolls it into view if necessary, and returns it. */
  reveal: (index: number) => HTMLTableRowElement | null;
}

/**
 * The rows of a table body in view, as the window scrolls; each row is `rowPx` high and carries data-index.
 *
 * At first no row is drawn, only the room for them, so that the page opens quickly; the rows follow
 * with the next frame, without delaying what is typed or clicked by then.
 */
export function useWindowed(count: number, rowPx: number): Windowed {
  const body = useRef<HTMLTableSectionElement>(null);
  const [{ first, end }, setSpan] = useState<Span>({ first: 0, end: 0 });
  useEffect(() => {
    const look = () => setSpan((old) => unlessSame(old, spanOf(body.current, count, rowPx)));
    const frame = requestAnimationFrame(() => startTransition(look));
    const unsubscribe = subscribe(look);
    return () => {
      cancelAnimationFrame(frame);
      unsubscribe();
    };
  }, [count, rowPx]);
  const reveal = useCallback(
    (index: number) => {
      const row = () => body.current?.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`) ?? null;
      const topPx = (body.current?.getBoundingClientRect().top ?? 0) + index * rowPx;
      const isOutside = topPx < EDGE_PX || topPx + rowPx > window.innerHeight - EDGE_PX;
      // The browser reports its scrolling only with the next frame; the row is needed now.
      if (isOutside) window.scrollBy({ top: topPx - window.innerHeight / 2, behavior: "instant" });
      if (isOutside) flushSync(() => window.dispatchEvent(new Event("scroll")));
      else if (!row()) flushSync(() => setSpan((old) => ({ first: Math.min(old.first, index), end: Math.max(old.end, index + 1) })));
      return row();
    },
    [rowPx],
  );
  return { body, first: Math.min(first, count), end: Math.min(end, count), reveal };
}

function spanOf(body: HTMLElement | null, count: number, rowPx: number): Span {
  if (count <= SHORT || body === null) return { first: 0, end: SHORT };
  return rowsInView(count, rowPx, body.getBoundingClientRect().top, window.innerHeight, SPARE);
}

function unlessSame(old: Span, next: Span): Span {
  return old.first === next.first && old.end === next.end ? old : next;
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("scroll", onChange, { passive: true });
  window.addEventListener("resize", onChange);
  return () => {
    window.removeEventListener("scroll", onChange);
    window.removeEventListener("resize", onChange);
  };
}
