/** Which lines of a long list are in its window: the geometry, without a page. */

/** Browsers draw no element much higher than this; in a longer list each of its lines stands for several of the log. */
const MOST_PX = 8_000_000;

export interface ListShape {
  lines: number;
  linePx: number;
  windowPx: number;
  /** How many of the last lines fill the window: fewer if they are wrapped and so higher than others. */
  fitting: number;
}

export interface ListWindow {
  /** The line at the top, from 0, of which `cutPx` may be cut off. */
  first: number;
  cutPx: number;
  /** How many lines fill the window. */
  count: number;
}

/** The height of the scrolled content: until the last line is at the bottom. */
export function heightPx(shape: ListShape): number {
  return Math.min(wholePx(shape), MOST_PX);
}

/** The visible lines after scrolling by a distance. */
export function windowAt(shape: ListShape, scrollPx: number): ListWindow {
  const px = Math.max(0, scrollPx) * scale(shape);
  const first = Math.min(Math.floor(px / shape.linePx), Math.max(0, shape.lines - 1));
  return { first, cutPx: px - first * shape.linePx, count: Math.ceil(shape.windowPx / shape.linePx) + 1 };
}

/** The scroll position that puts the line at the top. */
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
