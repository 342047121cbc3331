/** What needs attention, in a list and in one sentence. Pure. */
import type { Blame, JobView, NodeReadings, NodeView } from "../../api/types";
import { plural, shortList } from "../../lib/format";
import { INSIGHTS } from "../../lib/insight";
import { isOverloaded, loadWords, machines } from "../../lib/nodes";
import type { JobsSearch } from "../../lib/search/search";
import { isActive, type StateLook } from "../../lib/state";

export interface Alert {
  id: string;
  look: StateLook;
  text: string;
  /** The same as a part of a sentence that lists the reasons. */
  reason: string;
  /** The page with the details. */
  path: string;
  search?: JobsSearch;
  /** What it is about; undefined: several jobs. */
  node?: string;
  /** The node that is named first of a machine with several agents. */
  machine?: string;
  job?: number;
  /** Of a link its nodes, of a boundary its racks. */
  link?: string;
  boundary?: string;
}

const MOST_NAMES = 3;
const WARN: StateLook = { glyph: "⚠", text: "", tone: "warn" };

interface Known {
  nodes: readonly NodeView[];
  readings?: readonly NodeReadings[] | undefined;
  jobs: readonly JobView[];
  /** What diagnoses of the last 24 hours blame. */
  blamed?: readonly Blame[] | undefined;
  /** Jobs that failed in the last 24 hours. */
  failed?: number | undefined;
}

/**
 * Nodes that are lost, degraded or have quarantined slots; machines that are overloaded; then what diagnoses blame, the active insights of
 * running jobs, and last the failed jobs. A drained node needs no attention: a person wanted it so.
 */
export function alertsOf({ nodes, readings = [], jobs, blamed = [], failed = 0 }: Known): Alert[] {
  const drained = new Set(nodes.filter(({ desired }) => desired === "drain").map(({ name }) => name));
  const loads = new Map(readings.map(({ node, load_average: loads }) => [node, loads.at(-1)]));
  return [
    ...nodes.flatMap(ofNode),
    ...machines(nodes).flatMap((those) => ofLoad(those, loads)),
    ...blamed.filter(({ names }) => !names.some((name) => drained.has(name))).map(ofBlame),
    ...jobs.filter((job) => isActive(job.state)).flatMap(ofJob),
    ...(failed > 0 ? [ofFailed(failed)] : []),
  ];
}

function alertOf({ name }: NodeView, text: string, sentence: string, reason: string): Alert {
  const path = `/nodes/${encodeURIComponent(name)}`;
  return { id: `${name} ${text}`, look: { ...WARN, text }, text: `${name}: ${sentence}`, reason: `${name} ${reason}`, path, node: name };
}

function ofNode(node: NodeView): Alert[] {
  const alert = alertOf.bind(null, node);
  const quarantined = plural(node.slots_quarantined, "slot");
  return [
    ...(node.observed === "ready" ? [] : [alert(node.observed, node.observed_reason || `it is ${node.observed}.`, `is ${node.observed}`)]),
    ...(node.slots_quarantined > 0 ? [alert("quarantine", `${quarantined} not proven free.`, `has ${quarantined} in quarantine`)] : []),
  ];
}

/** The load of a machine, which all its agents report, in one sentence. */
function ofLoad(nodes: readonly NodeView[], loads: ReadonlyMap<string, number | null | undefined>): Alert[] {
  const [node, ...others] = nodes;
  const load = Math.max(...nodes.map(({ name }) => loads.get(name) ?? 0));
  const ranks = nodes.reduce((sum, { slots_busy: busy }) => sum + busy, 0);
  if (!node || !isOverloaded(node, load, ranks)) return [];
  const words = loadWords(node, load);
  if (others.length === 0) return [alertOf(node, "load", `${words}; other work than its ranks disturbs what is measured there.`, `has ${words}`)];
  const names = nodes.map(({ name }) => name);
  const machine = `the machine of ${names.length > MOST_NAMES ? `${node.name} … ${names.at(-1)}` : names.join(", ")}`;
  return [
    {
      id: `${node.name} load`,
      look: { ...WARN, text: "load" },
      text: `${words} on ${machine}; other work than its ranks disturbs what is measured there.`,
      reason: `${words} on ${machine}`,
      path: "/nodes",
      machine: node.name,
    },
  ];
}

function ofJob(job: JobView): Alert[] {
  return job.insights
    .filter((insight) => insight.until === null)
    .map((insight) => {
      const kind = INSIGHTS[insight.kind].toLowerCase();
      return {
        id: `insight ${insight.id}`,
        look: { ...WARN, text: kind },
        text: `job ${job.id}: ${insight.message}`,
        reason: `job ${job.id} has the insight “${kind}”`,
        path: `/jobs/${job.id}`,
        job: job.id,
      };
    });
}

function ofBlame({ job_id: job, kind, names, sentence }: Blame): Alert {
  const what = names.join(" – ");
  return {
    id: `blamed ${job} ${names.join(" ")}`,
    look: { ...WARN, text: "blamed" },
    text: `job ${job}: ${sentence}`,
    reason: `job ${job} blames ${kind === "node" ? what : `the ${kind} ${what}`}`,
    path: `/jobs/${job}`,
    ...(kind === "node" ? { node: what } : kind === "link" ? { link: what } : { boundary: what }),
  };
}

function ofFailed(count: number): Alert {
  const reason = `${plural(count, "job")} failed in the last 24 hours`;
  return { id: "failed", look: { glyph: "✕", text: "failed", tone: "bad" }, text: `${reason}.`, reason, path: "/jobs", search: { state: "failed" } };
}

const MOST_REASONS = 3;

export interface Health {
  look: StateLook;
  sentence: string;
  /** A drained node is no fault, but is missed by those who wait for its slots. */
  besides: string;
}

/** The state of the cluster in one sentence with its reasons. */
export function healthOf(alerts: readonly Alert[], nodes: readonly NodeView[]): Health {
  const drained = nodes.filter(({ desired, observed }) => desired === "drain" && observed !== "lost");
  const besides = drained.length === 0 ? "" : `${plural(drained.length, "node")} ${drained.length === 1 ? "is" : "are"} drained: ${shortList(drained.map(({ name }) => name), MOST_REASONS)}.`;
  if (nodes.length === 0) return { look: { glyph: "○", text: "no node", tone: "waiting" }, sentence: "No agent has connected yet.", besides };
  if (alerts.length === 0) {
    const open = nodes.length - drained.length;
    if (open === 0) return { look: { glyph: "⏏", text: "drained", tone: "waiting" }, sentence: "No node takes jobs.", besides };
    const ready = open === 1 ? "The node is ready" : `All ${open} nodes are ready`;
    return { look: { glyph: "✓", text: "healthy", tone: "good" }, sentence: `${ready}, and no job failed in the last 24 hours.`, besides };
  }
  const troubled = new Set(alerts.flatMap(({ node }) => node ?? [])).size;
  const hosts = new Set(alerts.flatMap(({ machine }) => machine ?? [])).size;
  const links = new Set(alerts.flatMap(({ link }) => link ?? [])).size;
  const boundaries = new Set(alerts.flatMap(({ boundary }) => boundary ?? [])).size;
  const jobs = new Set(alerts.flatMap(({ job }) => job ?? [])).size;
  const parts = [
    troubled > 0 && plural(troubled, "node"),
    hosts > 0 && plural(hosts, "machine"),
    links > 0 && plural(links, "link"),
    boundaries > 0 && (boundaries === 1 ? "1 boundary" : `${boundaries} boundaries`),
    jobs > 0 && plural(jobs, "running job"),
  ].filter((part) => part !== false);
  const subject = [parts.slice(0, -1).join(", "), ...parts.slice(-1)].filter(Boolean).join(" and ");
  const own = alerts.filter(({ id }) => id !== "failed");
  const more = own.length > MOST_REASONS ? `; and ${own.length - MOST_REASONS} more` : "";
  const reasons = own.slice(0, MOST_REASONS).map(({ reason }) => reason).join("; ") + more;
  const sentences = [
    ...(own.length > 0 ? [`${subject} ${troubled + hosts + links + boundaries + jobs === 1 ? "needs" : "need"} attention: ${reasons}.`] : []),
    ...alerts.filter(({ id }) => id === "failed").map(({ text }) => text),
  ];
  return { look: { ...WARN, text: "attention" }, sentence: sentences.join(" "), besides };
}
