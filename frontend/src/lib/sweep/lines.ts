/** The lines of a chart as data: made by a page, drawn by a chart. */
import type { Point } from "./lineColumns";

export interface Line {
  name: string;
  /** A custom property of tokens.css. */
  colour: string;
  dash?: readonly number[];
  /** Marks at each value, such as one for each epoch. */
  hasPoints?: boolean;
}

/** A size in bytes, and the range of the values there. */
export type Span = readonly [sizeBytes: number, low: number, high: number];

export interface SizeLine extends Line {
  width: number;
  /** The mark at each value. */
  mark: "open" | "filled" | "none";
  /** Whether its name is shown at its end. */
  isNamed: boolean;
  /** By size in bytes; a logarithmic axis cannot show size 0. */
  points: readonly Point[];
  /** Drawn in the line's colour behind all lines. */
  band?: readonly Span[];
  /** A size that is marked on the line. */
  kneeBytes?: number;
  /** Of a model: the axis belongs to what was measured, so this line may leave the frame. */
  isModel?: boolean;
  /** Sizes with an unstable value, which are marked too. */
  unstable?: readonly number[];
}

/** A horizontal rule with its words, such as a limit. */
export interface Rule {
  value: number;
  label: string;
}
