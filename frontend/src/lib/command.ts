/** The same job as a command: for the form and the job page. */
import type { Benchmark, BenchmarkSpec, Engine, JobSpec } from "../api/types";
import { shellQuote } from "./shell";
import { variableFlags } from "./form/variables";
import { searchCommand } from "./form/searchCommand";
import { trainCommand } from "./form/trainCommand";

/** nccl-tests' letter and number: "64M" for 67108864. */
function flagSize(bytes: number): string {
  for (const [power, letter] of [[30, "G"], [20, "M"], [10, "K"]] as const) {
    if (bytes > 0 && bytes % 2 ** power === 0) return `${bytes / 2 ** power}${letter}`;
  }
  return String(bytes);
}

function clusterFlags(topology: NonNullable<Benchmark["topology"]>): (string | number)[] {
  return [
    "--topology", topology.shape,
    "--link", topology.link,
    ...(topology.latency_us == null ? [] : ["--latency", `${topology.latency_us}us`]),
    "--intra", topology.intra,
    ...(topology.nics_per_node == null ? [] : ["--nics", topology.nics_per_node]),
    ...(topology.channels == null ? [] : ["--channels", topology.channels]),
    ...(topology.oversubscription === 1 ? [] : ["--oversubscription", topology.oversubscription]),
    ...(topology.reduce_gb_per_s == null ? [] : ["--gamma", `${topology.reduce_gb_per_s}GB/s`]),
  ];
}

/**
 * This job as a command: `ringscope submit …` with flags for a sweep; if the choices are known, `ringscope train …` and
 * `ringscope search-strategies …`; for any other job the specification itself. The tests of both sides read commands.json.
 */
export function submitCommand(spec: JobSpec, choices?: Pick<Engine, "training" | "strategy_search">): string {
  if (spec.benchmark != null) return sweepCommand({ ...spec, benchmark: spec.benchmark });
  if (spec.training != null && choices) return trainCommand(spec, choices.training.defaults, choices.training.one_node);
  if (spec.strategy_search != null && choices) return searchCommand(spec, choices.strategy_search.defaults);
  return `echo ${shellQuote(JSON.stringify(spec))} | ringscope submit -`;
}

/**
 * A command for the server of this page, whichever server the terminal would ask by default; `program` is the command
 * that runs ringscope there, as the server reports it.
 */
export function atServer(command: string, origin: string, program?: string | null): string {
  return `${withProgram(command, program)} --url ${shellQuote(origin)}`;
}

/** A command with its program's path, also after the pipe from echo. */
export function withProgram(command: string, program?: string | null): string {
  return command.replace(/^(echo .* \| )?ringscope /s, (_, piped = "") => `${piped}${program ?? "ringscope"} `);
}

/** The proposed job, with at most as many ranks as the cluster has slots; unchanged if it has none yet. */
export function fittedTo(slots: number, command: string): string {
  return command.replace(/ --ranks (\d+)/, (flag, ranks) => (slots > 0 && slots < Number(ranks) ? ` --ranks ${slots}` : flag));
}

/** A flag and its value, if it has one. */
function given(flag: string, value: string | number | null | undefined): (string | number)[] {
  return value == null ? [] : [flag, value];
}

/** The flags that restrict its nodes, besides ranks and nodes. */
function placementFlags(placement: JobSpec["placement"]): (string | number)[] {
  const size = (bytes: number | null | undefined): string | undefined => (bytes == null ? undefined : flagSize(bytes));
  return [
    ...((placement.arrangement ?? "pack") === "pack" ? [] : ["--arrangement", placement.arrangement]),
    ...(placement.node_names ?? []).flatMap((name) => ["--node", name]),
    ...(placement.same_rack ? ["--same-rack"] : []),
    ...(placement.quiet ? ["--when-quiet"] : []),
    ...(placement.preflight ? ["--preflight"] : []),
    ...given("--gpu-model", placement.gpu_model),
    ...given("--min-gpu-memory", size(placement.min_gpu_memory_bytes)),
    ...given("--min-memory", size(placement.min_memory_bytes)),
  ];
}

/** Every field of a sweep that the command line has a flag for. */
function sweepCommand(spec: BenchmarkSpec): string {
  const { benchmark, placement } = spec;
  const { topology } = benchmark;
  const pairs = (flag: string, items: Record<string, string> = {}): string[] =>
    Object.entries(items).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  const words = [
    "ringscope", "submit",
    // A name that begins with a dash would be read as a flag.
    ...(spec.name.startsWith("-") ? [`--name=${spec.name}`] : spec.name ? ["--name", spec.name] : []),
    ...(topology ? [] : ["--ranks", placement.ranks]),
    ...given("--nodes", placement.nodes),
    ...given("--ranks-per-node", placement.ranks_per_node),
    ...(placement.exclusive === false && !topology ? ["--shared"] : []),
    ...(placement.exclusive === true && topology ? ["--exclusive"] : []),
    ...placementFlags(placement),
    ...(benchmark.collective === "all_reduce" ? [] : ["--collective", benchmark.collective]),
    "--algorithm", benchmark.algorithms.join(","),
    ...(benchmark.transport === "auto" ? [] : ["--transport", benchmark.transport]),
    ...((benchmark.device ?? "auto") === "auto" ? [] : ["--device", benchmark.device]),
    ...(topology ? clusterFlags(topology) : []),
    "-b", flagSize(benchmark.min_bytes),
    "-e", flagSize(benchmark.max_bytes),
    ...(benchmark.step_bytes == null ? ["-f", benchmark.step_factor ?? 2] : ["-i", flagSize(benchmark.step_bytes)]),
    "-n", benchmark.iterations,
    "-w", benchmark.warmup,
    "-c", benchmark.check ? 1 : 0,
    "-d", benchmark.dtype,
    ...(benchmark.op === "sum" ? [] : ["-o", benchmark.op]),
    ...(benchmark.root ? ["-r", benchmark.root] : []),
    ...(benchmark.cycles === 1 ? [] : ["-N", benchmark.cycles]),
    ...(benchmark.aggregate === 1 ? [] : ["-m", benchmark.aggregate]),
    ...(benchmark.blocking ? ["-z", benchmark.blocking] : []),
    ...(benchmark.registration ? ["-R", benchmark.registration] : []),
    ...(benchmark.cuda_graph_launches ? ["-G", benchmark.cuda_graph_launches] : []),
    ...(benchmark.average === "mean" ? [] : ["-a", benchmark.average]),
    ...(benchmark.per_iteration ? ["-I", 1] : []),
    ...(benchmark.skip_iterations ? ["-K", benchmark.skip_iterations] : []),
    ...(benchmark.rotate ? ["--rotate", 1] : []),
    ...given("--channels", benchmark.channels),
    ...(benchmark.trace ? ["--trace"] : []),
    ...(benchmark.timeout_seconds === 300 ? [] : ["-T", benchmark.timeout_seconds]),
    ...(spec.priority === 50 ? [] : ["--priority", spec.priority]),
    ...(spec.time_limit_seconds === 600 ? [] : ["--time-limit", spec.time_limit_seconds]),
    ...given("--start-seconds", spec.start_seconds),
    ...((spec.load_seconds ?? 1800) === 1800 ? [] : ["--load-seconds", spec.load_seconds]),
    ...given("--hang-seconds", spec.hang_seconds),
    ...given("--queue-timeout", spec.queue_timeout_seconds),
    ...((spec.max_attempts ?? 3) === 3 ? [] : ["--max-attempts", spec.max_attempts]),
    ...(spec.hold ? ["--hold"] : []),
    ...variableFlags(spec.env),
    ...pairs("--label", spec.labels),
    ...pairs("--selector", placement.selector),
  ];
  return words.map((word) => shellQuote(String(word))).join(" ");
}

/** A request as curl; the token comes from the environment. */
export function postCommand(path: string, body: unknown, origin: string): string {
  return [
    `curl -X POST ${origin}/api/v1${path}`,
    `-H "Authorization: Bearer $RINGSCOPE_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${shellQuote(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}
