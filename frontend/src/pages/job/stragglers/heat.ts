/** Strips of coloured cells: their positions and strengths, without a canvas. */

/** The strength of a value, from 0 to 1, by its order of magnitude; 0 at or below `least`. */
export function strength(value: number, least: number, most: number): number {
  if (!(value > least) || !(most > least)) return 0;
  const floor = Math.max(least, most / 1000);
  if (value >= most) return 1;
  return Math.max(0.05, Math.log(Math.max(value, floor) / floor) / Math.log(most / floor));
}

/** Left edge and width of a cell in whole pixels, so that no gap shows between neighbours. */
export function cellPx(index: number, count: number, widthPx: number): [leftPx: number, widthPx: number] {
  const left = Math.round((index * widthPx) / count);
  return [left, Math.round(((index + 1) * widthPx) / count) - left];
}

/** The cell at a position, from 0 to `count` - 1. */
export function cellAt(px: number, count: number, widthPx: number): number {
  return Math.min(count - 1, Math.max(0, Math.floor((px * count) / widthPx)));
}

/** A colour of a ramp of three-byte colours such as "#1a2b3c", for a strength from 0 to 1. */
export function ramp(colours: readonly string[], at: number): string {
  const place = Math.min(1, Math.max(0, at)) * (colours.length - 1);
  const index = Math.min(colours.length - 2, Math.floor(place));
  const [from, to] = [bytes(colours[index]), bytes(colours[index + 1])];
  const mixed = from.map((byte, i) => Math.round(byte + ((to[i] ?? byte) - byte) * (place - index)));
  return `rgb(${mixed.join(" ")})`;
}

function bytes(colour = "#000000"): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
