/** The submit form: text as typed, in the URL and as the job specification that the server validates. */
import type { FieldProblem } from "../../api/client";
import type { BenchmarkSpec, Engine } from "../../api/types";
import { labelsFrom, labelsText } from "../labels";
import { formatSize, parseSize, sweepSizes } from "../size";
import { variablesFrom, variablesText } from "./variables";
import { problemsAt } from "./specForm";
import type { Problems, FieldTable } from "./types";

/** Every field as the text in its input; algorithms as a comma-separated list. */
export type JobForm = {
  name: string;
  collective: string;
  algorithms: string;
  op: string;
  root: string;
  transport: string;
  device: string;
  /** Properties of the simulated cluster; empty if there is a default. */
  shape: string;
  link: string;
  latency: string;
  intra: string;
  nics: string;
  channels: string;
  oversubscription: string;
  adding: string;
  ranks: string;
  /** How many nodes, and ranks on each of them, if given. */
  nodes: string;
  perNode: string;
  /** Labels of its nodes, as `labelsFrom` reads them. */
  selector: string;
  /** Whether the job waits until other load leaves its nodes. */
  quiet: string;
  /** Whether its nodes are measured before it starts: "off", "on", or a number of seconds. */
  preflight: string;
  min: string;
  max: string;
  factor: string;
  /** Bytes added from size to size; empty if the factor counts. */
  step: string;
  cycles: string;
  iterations: string;
  aggregate: string;
  /** Channels of a measured sweep; those of a simulation belong to its cluster. */
  rails: string;
  blocking: string;
  /** What NCCL knows of the buffers, as nccl-tests' -R. */
  registration: string;
  average: string;
  skip: string;
  rotate: string;
  trace: string;
  timeout: string;
  warmup: string;
  dtype: string;
  check: string;
  limit: string;
  /** Seconds for each part of the start, for a loading stage, and without progress; empty: the default. */
  start: string;
  load: string;
  hang: string;
  /** Environment variables, as `variablesFrom` reads them. */
  env: string;
  priority: string;
};

export type Field = keyof JobForm;

export const STANDARD: JobForm = {
  name: "",
  collective: "all_reduce",
  algorithms: "ring,direct,mpi",
  op: "sum",
  root: "0",
  transport: "auto",
  device: "auto",
  shape: "4x8",
  link: "ib200",
  latency: "",
  intra: "nvlink4",
  nics: "",
  channels: "",
  oversubscription: "1",
  adding: "",
  ranks: "2",
  nodes: "",
  perNode: "",
  selector: "",
  quiet: "off",
  preflight: "off",
  min: "8 B",
  max: "64 MiB",
  factor: "2",
  step: "",
  cycles: "1",
  iterations: "20",
  aggregate: "1",
  rails: "",
  blocking: "0",
  registration: "0",
  average: "mean",
  skip: "0",
  rotate: "off",
  trace: "off",
  timeout: "300",
  warmup: "5",
  dtype: "float32",
  check: "on",
  limit: "600",
  start: "",
  load: "1800",
  hang: "",
  env: "",
  priority: "50",
};

export const PRESETS: Record<string, Partial<JobForm>> = {
  Smoke: { min: "1 KiB", max: "1 MiB", factor: "4", iterations: "20", warmup: "1" },
  Standard: { min: "8 B", max: "64 MiB", factor: "2", iterations: "20", warmup: "5" },
  Full: { min: "8 B", max: "512 MiB", factor: "2", iterations: "50", warmup: "10", limit: "3600" },
};

/** In the order of the page: the first one with a problem is focused. */
export const SWEEP_FIELDS = {
  shape: { pointer: "/benchmark/topology/shape", label: "Shape", reads: "text" },
  link: { pointer: "/benchmark/topology/link", label: "Link between nodes", reads: "text" },
  latency: { pointer: "/benchmark/topology/latency_us", label: "Latency (µs)", reads: "optional number" },
  intra: { pointer: "/benchmark/topology/intra", label: "Link inside", reads: "text" },
  nics: { pointer: "/benchmark/topology/nics_per_node", label: "Network cards", reads: "optional whole number" },
  channels: { pointer: "/benchmark/topology/channels", label: "Channels", reads: "optional whole number" },
  oversubscription: { pointer: "/benchmark/topology/oversubscription", label: "Oversubscription", reads: "number" },
  adding: { pointer: "/benchmark/topology/reduce_gb_per_s", label: "Adding (GB/s)", reads: "optional number" },
  ranks: { pointer: "/placement/ranks", label: "Ranks", reads: "whole number" },
  name: { pointer: "/name", label: "Name (optional)", reads: "text" },
  collective: { pointer: "/benchmark/collective", label: "Collective", reads: "text" },
  root: { pointer: "/benchmark/root", label: "Root (rank)", reads: "whole number" },
  op: { pointer: "/benchmark/op", label: "Operation", reads: "text" },
  algorithms: { pointer: "/benchmark/algorithms", label: "Algorithms", reads: "names" },
  dtype: { pointer: "/benchmark/dtype", label: "Data type", reads: "text" },
  transport: { pointer: "/benchmark/transport", label: "Transport", reads: "text" },
  device: { pointer: "/benchmark/device", label: "Device", reads: "text" },
  check: { pointer: "/benchmark/check", label: "Compare every element", reads: "flag" },
  min: { pointer: "/benchmark/min_bytes", label: "Smallest", reads: "size" },
  max: { pointer: "/benchmark/max_bytes", label: "Largest", reads: "size" },
  factor: { pointer: "/benchmark/step_factor", label: "Factor", reads: "whole number" },
  iterations: { pointer: "/benchmark/iterations", label: "Iterations", reads: "whole number" },
  warmup: { pointer: "/benchmark/warmup", label: "Warm-up", reads: "whole number" },
  limit: { pointer: "/time_limit_seconds", label: "Time limit", reads: "whole number" },
  start: { pointer: "/start_seconds", label: "Start limit", reads: "optional whole number" },
  load: { pointer: "/load_seconds", label: "Loading limit", reads: "whole number" },
  hang: { pointer: "/hang_seconds", label: "Hang limit", reads: "optional whole number" },
  env: { pointer: "/env", label: "Environment variables", reads: "variables" },
  priority: { pointer: "/priority", label: "Priority", reads: "whole number" },
  step: { pointer: "/benchmark/step_bytes", label: "Step", reads: "optional size" },
  cycles: { pointer: "/benchmark/cycles", label: "Cycles", reads: "whole number" },
  aggregate: { pointer: "/benchmark/aggregate", label: "Aggregate", reads: "whole number" },
  nodes: { pointer: "/placement/nodes", label: "Nodes", reads: "optional whole number" },
  perNode: { pointer: "/placement/ranks_per_node", label: "Ranks per node", reads: "optional whole number" },
  selector: { pointer: "/placement/selector", label: "Nodes with labels", reads: "labels" },
  quiet: { pointer: "/placement/quiet", label: "Wait for quiet nodes", reads: "flag" },
  preflight: { pointer: "/placement/preflight", label: "Preflight", reads: "flag" },
  rails: { pointer: "/benchmark/channels", label: "Channels", reads: "optional whole number" },
  blocking: { pointer: "/benchmark/blocking", label: "Waiting", reads: "whole number" },
  registration: { pointer: "/benchmark/registration", label: "Registered buffers", reads: "whole number" },
  average: { pointer: "/benchmark/average", label: "Time of a row", reads: "text" },
  skip: { pointer: "/benchmark/skip_iterations", label: "Skip", reads: "whole number" },
  timeout: { pointer: "/benchmark/timeout_seconds", label: "Timeout", reads: "whole number" },
  rotate: { pointer: "/benchmark/rotate", label: "Another piece of memory each time", reads: "flag" },
  trace: { pointer: "/benchmark/trace", label: "Trace", reads: "flag" },
} as const satisfies FieldTable<Field>;

/** Rarely needed fields: the page shows them on demand, and if one of them differs from the default or was refused. */
export const ADVANCED: readonly Field[] = [
  "step", "cycles", "aggregate", "nodes", "perNode", "selector", "rails", "blocking", "registration", "average", "skip",
  "timeout", "start", "load", "hang", "env", "quiet", "preflight", "rotate", "trace",
];

/**
 * The specification to post; fields that the form does not show come from `base`. Text that is no number is sent as it is
 * (hence the cast): the server says what is wrong with it.
 */
export function toSpec(form: JobForm, base?: BenchmarkSpec): BenchmarkSpec {
  const spec = {
    ...base,
    labels: base?.labels ?? {},
    name: form.name,
    kind: "benchmark",
    benchmark: {
      ...base?.benchmark,
      collective: form.collective,
      algorithms: listOf(form.algorithms),
      transport: form.transport,
      topology: isSimulation(form) ? toTopology(form) : null,
      device: isSimulation(form) ? STANDARD.device : form.device,
      dtype: form.dtype,
      op: form.op,
      root: numberOr(form.root),
      min_bytes: parseSize(form.min) ?? form.min,
      max_bytes: parseSize(form.max) ?? form.max,
      step_factor: form.step === "" ? numberOr(form.factor) : null,
      step_bytes: form.step === "" ? null : (parseSize(form.step) ?? form.step),
      cycles: numberOr(form.cycles),
      warmup: numberOr(form.warmup),
      iterations: numberOr(form.iterations),
      aggregate: numberOr(form.aggregate),
      channels: isSimulation(form) ? undefined : (numberOrNull(form.rails) ?? undefined),
      blocking: numberOr(form.blocking),
      registration: isSimulation(form) ? 0 : numberOr(form.registration),
      average: form.average,
      skip_iterations: numberOr(form.skip),
      rotate: form.rotate === "on",
      trace: form.trace === "on",
      timeout_seconds: numberOr(form.timeout),
      check: form.check === "on",
    },
    placement: {
      ...base?.placement,
      selector: labelsFrom(form.selector, base?.placement.selector),
      ranks: isSimulation(form) ? 1 : numberOr(form.ranks),
      quiet: !isSimulation(form) && form.quiet === "on",
      preflight: !isSimulation(form) && preflightOf(form.preflight),
      nodes: isSimulation(form) ? null : numberOrNull(form.nodes),
      ranks_per_node: isSimulation(form) ? null : numberOrNull(form.perNode),
    },
    priority: numberOr(form.priority),
    time_limit_seconds: numberOr(form.limit),
    start_seconds: numberOrNull(form.start),
    load_seconds: numberOr(form.load),
    hang_seconds: numberOrNull(form.hang),
    env: variablesFrom(form.env, base?.env),
  };
  return spec as BenchmarkSpec;
}

/** Undefined if there is none: agents of earlier versions refuse the field. */
function preflightOf(text: string): boolean | number {
  return text === "on" || (text !== "off" && Number(text));
}

function preflightText(preflight: boolean | number | undefined): string {
  return preflight === true ? "on" : preflight ? String(preflight) : "off";
}

function toTopology(form: JobForm) {
  return {
    shape: form.shape,
    link: form.link,
    latency_us: numberOrNull(form.latency),
    intra: form.intra,
    nics_per_node: numberOrNull(form.nics),
    channels: numberOrNull(form.channels),
    oversubscription: numberOr(form.oversubscription),
    reduce_gb_per_s: numberOrNull(form.adding),
  };
}

/** The form that would submit this specification. */
export function fromSpec(spec: BenchmarkSpec): JobForm {
  const { benchmark } = spec;
  const { topology } = benchmark;
  return {
    name: spec.name,
    collective: benchmark.collective,
    op: benchmark.op,
    root: String(benchmark.root),
    algorithms: benchmark.algorithms.join(","),
    transport: benchmark.transport,
    device: benchmark.device,
    shape: topology?.shape ?? STANDARD.shape,
    link: topology?.link ?? STANDARD.link,
    latency: String(topology?.latency_us ?? STANDARD.latency),
    intra: topology?.intra ?? STANDARD.intra,
    nics: String(topology?.nics_per_node ?? STANDARD.nics),
    channels: String(topology?.channels ?? STANDARD.channels),
    oversubscription: String(topology?.oversubscription ?? STANDARD.oversubscription),
    adding: String(topology?.reduce_gb_per_s ?? STANDARD.adding),
    ranks: topology ? STANDARD.ranks : String(spec.placement.ranks),
    nodes: String((topology ? null : spec.placement.nodes) ?? STANDARD.nodes),
    selector: labelsText(spec.placement.selector ?? {}),
    quiet: spec.placement.quiet ? "on" : "off",
    preflight: preflightText(spec.placement.preflight),
    perNode: String((topology ? null : spec.placement.ranks_per_node) ?? STANDARD.perNode),
    min: formatSize(benchmark.min_bytes, true),
    max: formatSize(benchmark.max_bytes, true),
    factor: benchmark.step_factor == null ? STANDARD.factor : String(benchmark.step_factor),
    step: benchmark.step_bytes == null ? "" : formatSize(benchmark.step_bytes, true),
    cycles: String(benchmark.cycles),
    iterations: String(benchmark.iterations),
    aggregate: String(benchmark.aggregate),
    rails: String(benchmark.channels ?? STANDARD.rails),
    blocking: String(benchmark.blocking),
    registration: topology ? STANDARD.registration : String(benchmark.registration ?? STANDARD.registration),
    average: benchmark.average,
    skip: String(benchmark.skip_iterations),
    rotate: benchmark.rotate ? "on" : "off",
    trace: benchmark.trace ? "on" : "off",
    timeout: String(benchmark.timeout_seconds),
    warmup: String(benchmark.warmup),
    dtype: benchmark.dtype,
    check: benchmark.check ? "on" : "off",
    limit: String(spec.time_limit_seconds),
    start: String(spec.start_seconds ?? STANDARD.start),
    load: String(spec.load_seconds),
    hang: String(spec.hang_seconds ?? STANDARD.hang),
    env: variablesText(spec.env ?? {}),
    priority: String(spec.priority),
  };
}

/**
 * The form with another collective. Algorithms that it lacks are removed, and its default ones are chosen if only default
 * ones or none were chosen; an operation or a root that it does not use returns to the default.
 */
export function withCollective(form: JobForm, collective: string, engine: Engine): JobForm {
  const before = collectiveOf(engine, form.collective);
  const after = collectiveOf(engine, collective);
  if (!after) return { ...form, collective };
  const kept = listOf(form.algorithms).filter((name) => (after.algorithms as string[]).includes(name));
  const isUsual = form.algorithms === before?.usual.join();
  const next = {
    ...form,
    collective,
    algorithms: (isUsual || kept.length === 0 ? after.usual : kept).join(),
    op: after.reduces ? form.op : STANDARD.op,
    root: after.has_root ? form.root : STANDARD.root,
  };
  return withTransport(next, form.transport, engine);
}

/** The form with another transport; a simulation loses the algorithms that have no schedule. */
export function withTransport(form: JobForm, transport: string, engine: Engine): JobForm {
  const next = { ...form, transport };
  const schedules: string[] = collectiveOf(engine, form.collective)?.simulated ?? [];
  if (!isSimulation(next) || schedules.length === 0) return next;
  const kept = listOf(form.algorithms).filter((name) => schedules.includes(name));
  return { ...next, algorithms: (kept.length > 0 ? kept : schedules.slice(0, 2)).join() };
}

/** The engine's description of a collective; undefined for an unknown word from a URL. */
export function collectiveOf(engine: Engine, name: string): Engine["collectives"][string] | undefined {
  return Object.hasOwn(engine.collectives, name) ? engine.collectives[name] : undefined;
}

/** Whether the form asks for the cost model's times instead of a measurement. */
export function isSimulation({ transport }: JobForm): boolean {
  return transport === "simulated";
}

/** Fields that the page does not show, so they cannot be wrong. */
export function hiddenFields(form: JobForm): readonly Field[] {
  const others: Field[] = isSimulation(form)
    ? ["ranks", "check", "device", "nodes", "perNode", "rails", "registration"]
    : ["shape", "link", "latency", "intra", "nics", "channels", "oversubscription", "adding"];
  return form.step === "" ? others : [...others, "factor"];
}

/**
 * The server's sentences by field. If no device was chosen, what it says of the device is about the algorithms
 * that need two of them.
 */
export function sweepProblems(form: JobForm, found: readonly FieldProblem[]): { fields: Problems; other: string[] } {
  const device = SWEEP_FIELDS.device.pointer;
  const meant = form.device === STANDARD.device ? SWEEP_FIELDS.algorithms.pointer : device;
  return problemsAt(SWEEP_FIELDS, found.map((one) => (one.pointer === device ? { ...one, pointer: meant } : one)));
}

export interface SweepCount {
  sizes: number;
  algorithms: number;
  cycles: number;
  rows: number;
}

/** How many sizes and rows the sweep would have; null while the fields are no valid sweep. */
export function countRows(form: JobForm): SweepCount | null {
  const min = parseSize(form.min);
  const max = parseSize(form.max);
  const algorithms = listOf(form.algorithms).length;
  const cycles = Number(form.cycles);
  if (min === null || max === null || !(Number.isInteger(cycles) && cycles > 0)) return null;
  const step = form.step === "" ? { factor: Number(form.factor) } : { bytes: parseSize(form.step) ?? Number.NaN };
  const sizes = sweepSizes(min, max, step).length;
  return sizes > 0 && algorithms > 0 ? { sizes, algorithms, cycles, rows: cycles * sizes * algorithms * 2 } : null;
}

/** "ring,mpi" as a list; empty text is an empty list. */
export function listOf(text: string): string[] {
  return text.split(",").filter(Boolean);
}

function numberOrNull(text: string): number | string | null {
  return text.trim() === "" ? null : numberOr(text);
}

function numberOr(text: string): number | string {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
