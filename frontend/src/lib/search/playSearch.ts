/** The step that is shown and the speed of playing: the part of the URL that every ring has. */

export const SPEEDS = ["0.25", "0.5", "1", "2", "4"] as const;
export type Speed = (typeof SPEEDS)[number];

export interface PlaySearch {
  /** The number of steps done; none when absent. */
  step?: string;
  speed?: Speed;
  /** Steps as long as they take, instead of equally long ones. */
  pace?: "time";
  view?: "table";
}

/** A change of it; undefined returns to the default. */
export type PlayChange = Partial<Record<keyof PlaySearch, string | undefined>>;

export function playSearch(search: Record<string, unknown>): PlaySearch {
  const speed = SPEEDS.find((known) => known === String(search.speed) && known !== "1");
  return {
    ...(/^[1-9]\d{0,8}$/.test(String(search.step)) && { step: String(search.step) }),
    ...(speed && { speed }),
    ...(search.pace === "time" && { pace: "time" }),
    ...(search.view === "table" && { view: "table" }),
  };
}
