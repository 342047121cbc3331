import { expect, it } from "vitest";
import type { JobView } from "../../api/types";
import { alertsOf, healthOf } from "./alerts";
import { aJob, aNode } from "../../testing/fixtures";

const insight: JobView["insights"][number] = {
  id: 5,
  attempt_id: 1,
  kind: "straggler",
  rank: 2,
  node: "n1",
  message: "Rank 2 is slow.",
  since: "2026-01-01T00:00:00Z",
  until: null,
};

it("is empty while all is well", () => expect(alertsOf({ nodes: [aNode()], jobs: [aJob()] })).toEqual([]));

it("names every trouble of a node", () => {
  const node = aNode({ observed: "lost", observed_reason: "no word for 20 s.", desired: "drain", desired_reason: "new DIMM", desired_by: "ada", slots_quarantined: 2 });
  expect(alertsOf({ nodes: [node], jobs: [] }).map(({ look, text }) => `${look.text} ${text}`)).toEqual([
    "lost n1: no word for 20 s.",
    "quarantine n1: 2 slots not proven free.",
  ]);
});

it("lists active problems of running jobs, and no earlier ones", () => {
  const over = { ...insight, id: 6, until: "2026-01-01T00:01:00Z" };
  expect(alertsOf({ nodes: [], jobs: [aJob({ id: 3, insights: [insight, over] })] }).map(({ text, path }) => [text, path])).toEqual([
    ["job 3: Rank 2 is slow.", "/jobs/3"],
  ]);
  expect(alertsOf({ nodes: [], jobs: [aJob({ state: "failed", insights: [insight] })] })).toEqual([]);
});

it("lists what diagnoses blame, unless it is drained already", () => {
  const blame = { job_id: 7, kind: "node" as const, names: ["n1"], sentence: "n1 is slow." };
  const link = { job_id: 8, kind: "link" as const, names: ["n2", "n3"], sentence: "The link of n2 and n3 is slow." };
  const boundary = { ...link, kind: "boundary" as const, names: ["r1", "r2"], sentence: "r1 to r2 is slow." };
  const alerts = alertsOf({ nodes: [aNode()], jobs: [], blamed: [blame, link, boundary] });
  expect(alerts.map(({ look, text, path }) => [look.text, text, path])).toEqual([
    ["blamed", "job 7: n1 is slow.", "/jobs/7"],
    ["blamed", "job 8: The link of n2 and n3 is slow.", "/jobs/8"],
    ["blamed", "job 8: r1 to r2 is slow.", "/jobs/8"],
  ]);
  expect(healthOf(alerts, [aNode()]).sentence).toBe(
    "1 node, 1 link and 1 boundary need attention: job 7 blames n1; job 8 blames the link n2 – n3; job 8 blames the boundary r1 – r2.",
  );
  expect(alertsOf({ nodes: [aNode({ desired: "drain" })], jobs: [], blamed: [blame] })).toEqual([]);
});

function reading(node: string, load: number) {
  const none = [null];
  return { node, age_seconds: [0], load_average: [load], memory_used_bytes: none, gpu_utilization_ratio: none, gpu_memory_used_bytes: none, gpu_temperature_celsius: none };
}

it("says in one sentence what needs attention and why", () => {
  const node = aNode({ name: "vm" });
  const said = (nodes: Parameters<typeof alertsOf>[0]["nodes"], loads: number[], failed = 0, jobs: JobView[] = []) => {
    const alerts = alertsOf({ nodes, readings: loads.map((load) => reading("vm", load)), jobs, failed });
    return [healthOf(alerts, nodes).sentence, alerts.length];
  };
  expect(said([node], [18])).toEqual(["1 node needs attention: vm has a load of 18.0 on 2 cores.", 1]);
  expect(said([node], [3])).toEqual(["The node is ready, and no job failed in the last 24 hours.", 0]);
  expect(said([{ ...node, slots_busy: 4 }], [4])[1]).toBe(0); // its own ranks explain the load
  expect(said([node], [], 2)).toEqual(["2 jobs failed in the last 24 hours.", 1]);
  expect(said([aNode({ observed: "lost" }), node], [18], 1, [aJob({ id: 3, insights: [insight] })])).toEqual([
    "2 nodes and 1 running job need attention: n1 is lost; vm has a load of 18.0 on 2 cores; job 3 has the insight “slow rank”. 1 job failed in the last 24 hours.",
    4,
  ]);
  const hosts = ["h1", "h2", "h3", "h4"].map((name) => aNode({ ...node, name, slots_busy: 2 }));
  const all = (load: number) => alertsOf({ nodes: hosts, readings: hosts.map(({ name }) => reading(name, load)), jobs: [] });
  expect(healthOf(all(13), hosts).sentence).toBe("1 machine needs attention: a load of 13.0 on 2 cores on the machine of h1 … h4.");
  expect(all(13).map(({ text, path }) => [text, path])).toEqual([
    ["a load of 13.0 on 2 cores on the machine of h1 … h4; other work than its ranks disturbs what is measured there.", "/nodes"],
  ]);
  expect(all(12)).toEqual([]); // the eight ranks on its four nodes explain the load
  expect(said([], [])).toEqual(["No agent has connected yet.", 0]);
});

it("names a drained node beside its sentence, and not as a fault", () => {
  const nodes = [aNode({ desired: "drain" }), aNode({ name: "n2" })];
  expect(alertsOf({ nodes, jobs: [] })).toEqual([]);
  expect(healthOf([], nodes)).toMatchObject({ sentence: "The node is ready, and no job failed in the last 24 hours.", besides: "1 node is drained: n1." });
});

it("is not healthy where every node is drained", () => {
  const found = healthOf([], [aNode({ desired: "drain", desired_reason: "new DIMM" })]);
  expect(found).toMatchObject({ look: { text: "drained", tone: "waiting" }, sentence: "No node takes jobs." });
});
