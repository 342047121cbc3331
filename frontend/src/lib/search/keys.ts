/** Keys of the pages and their actions. Pure. */

/** The action of a key; "go:j" is g and then j. */
export type Action =
  | "palette"
  | "help"
  | "filter"
  | "next"
  | "previous"
  | "select"
  | "compare"
  | "new"
  | "before"
  | "after"
  | "log"
  | "table"
  | "cancel"
  | "hold"
  | "release"
  | "again"
  | "repeat"
  | "drain"
  | "resume"
  | `part:${Part}`
  | `go:${string}`;

/** The single keys with the help for each. */
export const SINGLE_KEYS: Readonly<Record<string, readonly [Action, string]>> = {
  "/": ["filter", "Go to the search box of the page"],
  j: ["next", "Next row of the list; Enter opens it"],
  k: ["previous", "Previous row of the list"],
  x: ["select", "Select or deselect the row"],
  c: ["compare", "Compare the chosen jobs"],
  n: ["new", "New job"],
  "[": ["before", "The job before this one"],
  "]": ["after", "The job after this one"],
  l: ["log", "Log of the job"],
  t: ["table", "Charts as tables, and back"],
  "?": ["help", "This help"],
};

export type Part = "player" | "strips" | "rows" | "marks";

/** The keys that only one part of a page has, by its name; the help lists those of the parts that are shown. */
export const PART_KEYS = {
  player: [
    ["Space", "Play, or pause"],
    ["← →", "One step back, or on"],
    ["Shift ← →", "To the phase before, or after"],
    ["Home End", "To the start, or to the end"],
  ],
  strips: [
    ["← →", "In the lateness strips: the previous or next iteration"],
    ["↑ ↓", "In the lateness strips: the rank above or below"],
  ],
  marks: [["→ ←", "On a marked number: the next or previous marked number in its table"]],
  rows: [["→ ←", "In a row of the list: the reasons for its marks, and back"]],
} as const satisfies Readonly<Record<Part, readonly (readonly [string, string])[]>>;

/** The page's actions without a key: the palette offers them. */
export const DEEDS = {
  cancel: "Cancel …",
  hold: "Hold: keep this job from starting",
  release: "Release: let this job queue again",
  again: "Run again as a new job",
  repeat: "Repeat on a schedule",
  drain: "Drain this node …",
  resume: "Resume this node …",
} as const satisfies Partial<Record<Action, string>>;

/** How long g waits for its second key, in milliseconds. */
export const PREFIX_MS = 1500;

export interface Stroke {
  key: string;
  /** Control or the command key. */
  isCommand: boolean;
  isAlt: boolean;
  /** Whether the focus is in a field that takes text, where letters are letters. */
  isTyping: boolean;
}

/** Whether a key writes something, such as a letter or the space bar: people who dictate must be able to switch such keys off. */
export function isCharacter(key: string): boolean {
  return key.length === 1;
}

interface Reading {
  /** Whether g was pressed and its second key is awaited. */
  isPrefix: boolean;
  action: Action | null;
}

const NOTHING: Reading = { isPrefix: false, action: null };

/** The meaning of a stroke after the previous ones; single keys do nothing if they are switched off. */
export function readStroke(wasPrefix: boolean, { key, isCommand, isAlt, isTyping }: Stroke, hasSingleKeys: boolean): Reading {
  if (isCommand) return key.toLowerCase() === "k" && !isAlt ? { isPrefix: false, action: "palette" } : NOTHING;
  if (isAlt || isTyping || !hasSingleKeys) return NOTHING;
  if (wasPrefix) return { isPrefix: false, action: `go:${key}` };
  if (key === "g") return { isPrefix: true, action: null };
  return { isPrefix: false, action: SINGLE_KEYS[key]?.[0] ?? null };
}
