/** Which lines of a long list lie in its window: the geometry, without a page. */

/** Browsers draw no element much higher than this; longer lists scroll by several lines for each of theirs. */
const MOST_PX = 8_000_000;

export interface ListShape {
  lines: number;
  linePx: number;
  windowPx: number;
  /** How many of the last lines fill the window: fewer where they are wrapped and so higher than others. */
  fitting: number;
}

export interface ListWindow {
  /** The line at the top, from 0, which may be cut by `cutPx`. */
  first: number;
  cutPx: number;
  /** How many lines fill the window. */
  count: number;
}

/** The height of what scrolls: until the last line is at the bottom. */
export function heightPx(shape: ListShape): number {
  return Math.min(wholePx(shape), MOST_PX);
}

/** What is seen after scrolling so far. */
export function windowAt(shape: ListShape, scrollPx: number): ListWindow {
  const px = Math.max(0, scrollPx) * scale(shape);
  const first = Math.min(Math.floor(px / shape.linePx), Math.max(0, shape.lines - 1));
  return { first, cutPx: px - first * shape.linePx, count: Math.ceil(shape.windowPx / shape.linePx) + 1 };
}

/** How far to scroll until the line is at the top. */
export function scrollTo(shape: ListShape, line: number): number {
  return (line * shape.linePx) / scale(shape);
}

function wholePx({ lines, linePx, windowPx, fitting }: ListShape): number {
  return Math.max(0, lines - fitting) * linePx + windowPx;
}

function scale(shape: ListShape): number {
  const room = heightPx(shape) - shape.windowPx;
  return room > 0 ? (wholePx(shape) - shape.windowPx) / room : 1;
}

/** The pages of `perPage` lines that hold these lines. */
export function pagesOf(first: number, count: number, perPage: number): number[] {
  const from = Math.floor(first / perPage);
  const to = Math.floor(Math.max(first, first + count - 1) / perPage);
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
