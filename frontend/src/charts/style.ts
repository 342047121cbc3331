/** How the lines of a chart look: a colour and a dash pattern per algorithm, the same everywhere and always. */

/** Okabe-Ito's eight colours (tokens.css) come first; a relative has the same colour and a pattern, and so has the
 * second blue, which is too near to the first. */
const DASHES: Record<string, readonly number[]> = {
  recursive_doubling: [5, 3],
  ring_pipelined: [10, 4],
  double_tree: [10, 3, 2, 3],
  parameter_server: [2, 3],
};

export const SOLID: readonly number[] = [];

/** Strokes and gaps in px; empty for a solid line. */
export function dashOf(algorithm: string): readonly number[] {
  return DASHES[algorithm] ?? SOLID;
}

/** The name of the colour's custom property. */
export function colourToken(algorithm: string): string {
  return `--algorithm-${algorithm}`;
}

/** In place is thin with filled points: a pattern is already an algorithm. */
export function widthOf(inPlace: boolean): number {
  return inPlace ? 1.25 : 2.25;
}
