/** The lines of a chart as data: what a page makes of rows, and a chart draws. */
import type { Point } from "./lineColumns";

export interface Line {
  name: string;
  /** A custom property of tokens.css. */
  colour: string;
  dash?: readonly number[];
  /** Points at each value, such as one for each epoch. */
  hasPoints?: boolean;
}

/** A size in bytes, and from where to where the values lie there. */
export type Span = readonly [sizeBytes: number, low: number, high: number];

export interface SizeLine extends Line {
  width: number;
  /** What stands at each value. */
  mark: "open" | "filled" | "none";
  /** Whether its name stands at its end. */
  isNamed: boolean;
  /** By size in bytes; a logarithmic axis has no place for size 0. */
  points: readonly Point[];
  /** Drawn in the line's colour behind all lines. */
  band?: readonly Span[];
  /** A size that is marked on the line. */
  kneeBytes?: number;
  /** Sizes whose value says little: marked, too. */
  unstable?: readonly number[];
}

/** A horizontal rule with its words, such as a limit. */
export interface Rule {
  value: number;
  label: string;
}
