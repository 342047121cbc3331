/** The pages of the top bar, the keys and the palette. */
export interface MainPage {
  title: string;
  path: "/" | "/jobs" | "/nodes" | "/compare" | "/plan" | "/ring" | "/diagnose" | "/settings";
  /** The key after g. */
  key: string;
}

export const MAIN_PAGES: readonly MainPage[] = [
  { title: "Overview", path: "/", key: "o" },
  { title: "Jobs", path: "/jobs", key: "j" },
  { title: "Nodes", path: "/nodes", key: "n" },
  { title: "Compare", path: "/compare", key: "c" },
  { title: "Plan", path: "/plan", key: "p" },
  { title: "Ring", path: "/ring", key: "r" },
  { title: "Diagnose", path: "/diagnose", key: "d" },
  { title: "Settings", path: "/settings", key: "s" },
];
