import { type RefObject, startTransition, useCallback, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { rowsInView, type Span } from "../../lib/windowed";

/** One: on a large screen every row more is some thirty elements that the browser lays out anew. */
const SPARE = 1;
/** A table as short as this is drawn whole. */
const SHORT = 40;
/** What stands over the rows at the edges of the window: the top bar, the bar of what is chosen. */
const EDGE_PX = 64;

interface Windowed extends Span {
  /** Of the table body. */
  body: RefObject<HTMLTableSectionElement | null>;
  /** Draws a row, scrolls it into view where it is not, and gives it. */
  reveal: (index: number) => HTMLTableRowElement | null;
}

/**
 * The rows of a table body in view, as the window scrolls; each row is `rowPx` high and carries data-index.
 *
 * At first none is drawn, only the room that they take, so that whoever opened the page is answered soon; they follow
 * with the next frame, without holding up what is typed or clicked by then.
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
      // The browser tells of its scrolling with the next frame only; the row is wanted now.
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
