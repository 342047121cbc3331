/** What the palette can go to or do. */
import type { JobView, NodeView } from "../api/types";
import type { Entry } from "../lib/palette";
import { JOB_STATES, jobName, nodeLook } from "../lib/state";
import { PLACES } from "./places";

export interface Command extends Entry {
  run: () => void;
}

/** The pages. */
export function placeCommands(go: (path: string) => void): Command[] {
  return PLACES.map(({ title, path, key }) => ({ id: `page-${key}`, kind: "Page", title, key: `g ${key}`, run: () => go(path) }));
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
