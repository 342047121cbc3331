/** Which rows of a long table are in view, so that only these are in the page. Pure. */

export interface Span {
  first: number;
  /** One after the last. */
  end: number;
}

/**
 * Rows in view and `spare` more on each side. `topPx` is the top of the first row, relative to the top of the view:
 * negative once the table has been scrolled past.
 */
export function rowsInView(count: number, rowPx: number, topPx: number, viewPx: number, spare: number): Span {
  const first = Math.floor(-topPx / rowPx) - spare;
  const end = Math.ceil((viewPx - topPx) / rowPx) + spare;
  const clamp = (value: number): number => Math.min(count, Math.max(0, value));
  return { first: clamp(first), end: clamp(end) };
}
