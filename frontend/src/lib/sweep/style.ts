/** The look of a chart's lines: a colour and a dash pattern per algorithm, the same everywhere. */

/**
 * Okabe-Ito's eight colours (tokens.css) come first. A relative of an algorithm has its colour and a pattern; so do
 * sky blue and yellow, which on white must be so dark that they come near to others.
 */
const DASHES: Record<string, readonly number[]> = {
  auto: [7, 2, 1, 2],
  recursive_doubling: [5, 3],
  halving_doubling: [9, 3, 2, 3, 2, 3],
  ring_pipelined: [10, 4],
  gloo: [5, 3],
  nccl: [10, 4],
  double_tree: [10, 3, 2, 3],
  parameter_server: [2, 3],
  gather: [5, 3],
  separate_servers: [5, 3],
  separate_servers_duplex: [2, 3],
  assisted_servers: [5, 3],
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

/** Lines in place are thin with filled points, as a pattern already means an algorithm. */
export function widthOf(inPlace: boolean): number {
  return inPlace ? 1.25 : 2.25;
}
