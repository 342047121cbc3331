import type { ReactNode } from "react";
import type { Benchmark, BenchmarkJob, JobView } from "../../../api/types";
import { Age } from "../../../components/Age";
import { Properties } from "../../../components/Properties";
import { SameJob } from "../../../components/marks/SameJob";
import { useCollective } from "../../../components/hooks/useCollective";
import { COLLECTIVES } from "../../../lib/collectives";
import { formatDuration, plural } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { isBenchmark, isImported } from "../../../lib/state";
import { Note } from "./Note";
import { trainingItems } from "./trainingWords";
import classes from "./Configuration.module.css";

type Item = readonly [string, ReactNode];

/** The specification, the user and the nodes, and the same job as commands. */
export function Configuration({ job }: { job: JobView }) {
  return isBenchmark(job) ? <SweepConfiguration job={job} /> : <Card job={job} work={workItems(job)} />;
}

function SweepConfiguration({ job }: { job: BenchmarkJob }) {
  const { benchmark, placement } = job.spec;
  const engine = useCollective(benchmark.collective);
  return (
    <Card
      job={job}
      work={isImported(job) ? importedItems(job) : [
        ["Collective", COLLECTIVES[benchmark.collective].name],
        ["Elements", engine?.reduces ? `${benchmark.dtype}, combined by ${benchmark.op}` : benchmark.dtype],
        ...(engine?.has_root ? [["Root", `rank ${benchmark.root}`] as const] : []),
        ["Algorithms", benchmark.algorithms.join(", ")],
        ["Transport", benchmark.transport],
        ...(benchmark.topology ? [["Simulated cluster", clusterText(benchmark.topology)] as const] : []),
        ["Device", benchmark.topology ? "none" : benchmark.device],
        [
          "Sizes",
          `${formatSize(benchmark.min_bytes, true)} to ${formatSize(benchmark.max_bytes, true)}, ${stepText(benchmark)}`,
        ],
        ...(benchmark.topology
          ? [["Iterations", `${benchmark.iterations} calls in model time, each size`] as const]
          : [
              ["Iterations", `${benchmark.iterations} timed after ${benchmark.warmup} warm-up, each size`] as const,
              ...timingItems(benchmark),
              ["Result check", checkText(benchmark.check, engine?.checked_in_place ?? true)] as const,
            ]),
        [benchmark.topology ? "Processes" : "Ranks", placementText(placement, benchmark.topology ? "process" : "rank")],
      ]}
    />
  );
}

/** Where the rows come from, and the machine as the file or the user describes it. */
function importedItems({ spec }: BenchmarkJob): Item[] {
  const { imported, placement, benchmark } = spec;
  if (!imported) return [];
  const shown = (named: Record<string, string> = {}): string => Object.entries(named).map(([name, value]) => `${name} ${value}`).join(", ");
  const flagged = imported.flagged > 0 ? `, and ${imported.flagged} that contradict themselves` : "";
  return [
    ["File", `${imported.file}, line ${imported.line}`],
    ["Tool", imported.tool],
    ["Collective", COLLECTIVES[benchmark.collective].name],
    ["Rows", `${imported.rows} that count${flagged}${imported.is_partial ? "; the table is not complete" : ""}`],
    ["GPU", imported.gpu ?? "not stated"],
    ["Ranks", `${placement.ranks}${imported.nodes == null ? "" : ` on ${plural(imported.nodes, "node")}`}`],
    ["Versions", shown(imported.versions) || "not stated"],
    ["Environment", shown(imported.environment) || "none"],
    ["SHA-256", imported.sha256],
  ];
}

/** The training's model, data and strategy, or the script. */
function workItems({ spec }: JobView): Item[] {
  const ranks: Item = ["Ranks", placementText(spec.placement, "rank")];
  if (spec.script) {
    const { file, arguments: words, as_module: isModule, folder } = spec.script;
    const shown = isModule ? `-m ${file.replace(/(\/__main__)?\.py$/, "").replaceAll("/", ".")}` : file;
    return [["Script", [shown, ...words].join(" ")], ...(folder == null ? [] : [["Working folder", folder] as const]), ranks];
  }
  return spec.training ? [...trainingItems(spec.training), ranks] : [ranks];
}

function Card({ job, work }: { job: JobView; work: readonly Item[] }) {
  const labels = Object.entries(job.labels).map(([key, value]) => `${key}=${value}`);
  const variables = Object.entries(job.spec.env ?? {}).map(([name, value]) => `${name}=${value}`).join(" ");
  return (
    <section className="card" aria-labelledby="configuration">
      <div className="card-head">
        <h2 id="configuration">Configuration</h2>
      </div>
      <div className={`card-body ${classes.body}`}>
        <Properties
          items={[
            ...work,
            ...job.attempts.map(
              ({ number, members, nodes }) =>
                [`Attempt ${number}`, `${plural(members.reduce((sum, member) => sum + member.ranks, 0), "rank")} on ${nodes.join(", ") || "no node"}`] as const,
            ),
            ...(isImported(job)
              ? []
              : [["Time limit", formatDuration(job.spec.time_limit_seconds)] as const, ["Priority", String(job.priority)] as const]),
            ...(isImported(job) || variables === "" ? [] : [["Environment", variables] as const]),
            ["Labels", labels.join(", ") || "none"],
            [isImported(job) ? "Imported" : "Submitted", <SubmittedBy key="submitted" job={job} />],
          ]}
        />
        <Note job={job} />
        {!isImported(job) && <SameJob spec={job.spec} />}
      </div>
    </section>
  );
}

function stepText(benchmark: Benchmark): string {
  return benchmark.step_bytes == null ? `factor ${benchmark.step_factor}` : `step ${formatSize(benchmark.step_bytes, true)}`;
}

/** The finer options that differ from their defaults. */
function timingItems(benchmark: Benchmark): (readonly [string, string])[] {
  return [
    ...(benchmark.cycles === 1 ? [] : [["Cycles", `the whole sweep ${benchmark.cycles} times`] as const]),
    ...(benchmark.aggregate === 1 ? [] : [["Aggregate", `${benchmark.aggregate} operations per iteration`] as const]),
    ...(benchmark.blocking === 0 ? [] : [["Waiting", `-z ${benchmark.blocking}`] as const]),
    ...(benchmark.registration ? [["Registration", `-R ${benchmark.registration}`] as const] : []),
    ...(benchmark.cuda_graph_launches ? [["CUDA graph", `-G ${benchmark.cuda_graph_launches}`] as const] : []),
    ...(benchmark.average === "mean" ? [] : [["Time of a row", benchmark.average] as const]),
    ...(benchmark.skip_iterations ? [["Skipped", `first ${benchmark.skip_iterations} in statistics`] as const] : []),
    ...(benchmark.rotate ? [["Memory", "the next piece for each operation"] as const] : []),
    ...(benchmark.channels == null ? [] : [["Channels", `${benchmark.channels}, of rings and trees`] as const]),
    ...(benchmark.trace ? [["Trace", "one additional operation of each row, transfer by transfer"] as const] : []),
  ];
}

function SubmittedBy({ job }: { job: JobView }) {
  return (
    <>
      <Age iso={job.created_at} isSentence /> by {job.user}
    </>
  );
}

function clusterText(topology: NonNullable<Benchmark["topology"]>): string {
  const { shape, link, latency_us, intra, nics_per_node, channels, oversubscription, reduce_gb_per_s } = topology;
  return [
    `${shape} ranks`,
    `${link} between nodes`,
    ...(latency_us == null ? [] : [`latency ${latency_us} µs`]),
    ...(shape.includes("x") ? [`${intra} inside`] : []),
    ...(nics_per_node == null ? [] : [`${plural(nics_per_node, "network card")} a node`]),
    ...(channels == null ? [] : [plural(channels, "channel")]),
    ...(oversubscription === 1 ? [] : [`oversubscription ${oversubscription}`]),
    ...(reduce_gb_per_s == null ? [] : [`adding ${reduce_gb_per_s} GB/s`]),
  ].join(", ");
}

function checkText(isOn: boolean, isCheckedInPlace: boolean): string {
  if (!isOn) return "off";
  return `every element after each size${isCheckedInPlace ? "" : ", out of place only"}`;
}

function placementText(placement: JobView["spec"]["placement"], noun: string): string {
  const parts = [
    plural(placement.ranks, noun),
    ...(placement.min_ranks == null ? [] : [`at least ${placement.min_ranks}`]),
    ...(placement.node_names.length === 0 ? [] : [`on ${placement.node_names.join(", ")} only`]),
    ...(placement.nodes == null ? [] : [`on exactly ${plural(placement.nodes, "node")}`]),
    ...(placement.ranks_per_node == null ? [] : [`${placement.ranks_per_node} on each node`]),
    ...(placement.exclusive ? ["no other job on its nodes"] : []),
    ...Object.entries(placement.selector ?? {}).map(([key, value]) => `where ${key}=${value}`),
  ];
  return parts.join(", ");
}
