/** The commands of the palette. */
import type { JobView, NodeView } from "../api/types";
import { type Action, DEEDS, SINGLE_KEYS } from "../lib/search/keys";
import { SECTIONS } from "../lib/sections";
import type { Entry } from "./palette";
import { JOB_STATES, jobName, nodeLook } from "../lib/state";
import { MAIN_PAGES } from "./mainPages";

export interface Command extends Entry {
  run: () => void;
}

/** The pages. */
export function placeCommands(go: (path: string) => void): Command[] {
  return MAIN_PAGES.map(({ title, path, key }) => ({ id: `page-${key}`, kind: "Page", title, key: `g ${key}`, run: () => go(path) }));
}

/** The sections of the settings that the user may see. */
export function settingsCommands(go: (path: string) => void, isAdmin: boolean): Command[] {
  return SECTIONS.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map(({ title, path }) => ({
    id: `settings-${title}`,
    kind: "Page",
    title,
    note: "Settings",
    run: () => go(path),
  }));
}

/** The part of a page that has a name of its own. */
export function linksCommand(go: (path: string) => void): Command {
  return { id: "links", kind: "Page", title: "Links between nodes", note: "Nodes, measure all links", run: () => go("/nodes#links") };
}

export type Scheme = "light" | "dark" | "auto";
const SCHEMES: readonly (readonly [Scheme, string])[] = [
  ["light", "Light theme"],
  ["dark", "Dark theme"],
  ["auto", "System\u2019s theme"],
];

export function themeCommands(setScheme: (scheme: Scheme) => void): Command[] {
  return SCHEMES.map(([scheme, title]) => ({ id: `theme-${scheme}`, kind: "Do", title, run: () => setScheme(scheme) }));
}

/** Actions of a focused row, which no row is while the palette is open, and actions of every page. */
const OF_ROWS_OR_EVERYWHERE: readonly Action[] = ["next", "previous", "select", "new", "help"];

/** The commands of the open page, with and without a key. */
export function deedsHere(handlerOf: (action: Action) => (() => void) | undefined): Command[] {
  const keyed = Object.entries(SINGLE_KEYS).map(([key, [action, title]]) => ({ action, title, key }));
  const others = Object.entries(DEEDS).map(([action, title]) => ({ action: action as keyof typeof DEEDS, title }));
  return [...others, ...keyed].flatMap(({ action, ...entry }) => {
    const run = OF_ROWS_OR_EVERYWHERE.includes(action) ? undefined : handlerOf(action);
    return run ? [{ id: `do-${action}`, kind: "Do", ...entry, run }] : [];
  });
}

/** Jobs and nodes. */
export function entriesOf(jobs: readonly JobView[], nodes: readonly NodeView[], go: (path: string) => void): Command[] {
  const ofJobs = jobs.map((job) => ({
    id: `job-${job.id}`,
    kind: "Job",
    title: jobName(job),
    note: `job ${job.id} ${JOB_STATES[job.state].text}`,
    run: () => go(`/jobs/${job.id}`),
  }));
  const ofNodes = nodes.map((node) => ({
    id: `node-${node.id}`,
    kind: "Node",
    title: node.name,
    note: nodeLook(node).text,
    run: () => go(`/nodes/${encodeURIComponent(node.name)}`),
  }));
  return [...ofJobs, ...ofNodes];
}
