/** Whole objects for the tests of this folder; each test names only what it is about. */
import type { Engine, EventView, JobView, LogLine, MeasurementView } from "../api/types";

export function aJob(change: Partial<JobView> = {}): JobView {
  return {
    id: 1,
    name: "sweep",
    kind: "benchmark",
    state: "running",
    reason: null,
    message: "",
    user: "ada",
    created_at: "2026-01-01T00:00:00Z",
    started_at: null,
    finished_at: null,
    priority: 50,
    labels: {},
    pending: null,
    progress: { done: 0, total: 10 },
    summary: { best: [], wrong: 0, verdict: "" },
    attempts: [],
    spec: {
      name: "sweep",
      kind: "benchmark",
      benchmark: {
        collective: "all_reduce",
        algorithms: ["ring", "mpi"],
        transport: "auto",
        topology: null,
        device: "auto",
        dtype: "float32",
        op: "sum",
        root: 0,
        min_bytes: 8,
        max_bytes: 67_108_864,
        step_factor: 2,
        step_bytes: null,
        cycles: 1,
        warmup: 5,
        iterations: 20,
        aggregate: 1,
        blocking: 0,
        average: "mean",
        per_iteration: false,
        skip_iterations: 0,
        rotate: false,
        check: true,
        timeout_seconds: 300,
      },
      placement: { ranks: 4, ranks_per_node: null, nodes: null, selector: {} },
      priority: 50,
      time_limit_seconds: 600,
      labels: {},
    },
    ...change,
  };
}

/** A cluster that is only described: 32 ranks on 4 nodes. */
export const CLUSTER = {
  shape: "4x8",
  link: "ib200",
  latency_us: null,
  intra: "nvlink4",
  nics_per_node: null,
  oversubscription: 1,
  reduce_gb_per_s: null,
};

/** The specification of a simulation. */
export function aSimulation(): JobView["spec"] {
  const { spec } = aJob();
  const benchmark = { ...spec.benchmark, algorithms: ["ring" as const], transport: "simulated" as const, topology: CLUSTER };
  return { ...spec, benchmark, placement: { ...spec.placement, ranks: 1 } };
}

/** Three collectives, as the server describes them. */
export function anEngine(): Engine {
  return {
    collectives: {
      all_reduce: {
        algorithms: ["auto", "ring", "direct", "tree", "naive", "mpi"],
        usual: ["ring", "direct", "mpi"],
        simulated: ["ring", "direct", "tree", "naive"],
        reduces: true,
        has_root: false,
        checked_in_place: true,
      },
      broadcast: {
        algorithms: ["auto", "ring", "tree", "naive", "mpi"],
        usual: ["ring", "mpi"],
        simulated: ["ring", "tree", "naive"],
        reduces: false,
        has_root: true,
        checked_in_place: true,
      },
      alltoall: {
        algorithms: ["auto", "direct", "mpi"],
        usual: ["direct", "mpi"],
        simulated: ["direct"],
        reduces: false,
        has_root: false,
        checked_in_place: false,
      },
    },
    dtypes: ["float32", "int32"],
    ops: ["sum"],
    transports: ["auto", "shared_memory", "mpi", "simulated"],
    links: ["10gbe", "ib200", "nvlink4"],
  };
}

export function aRow(change: Partial<MeasurementView> = {}): MeasurementView {
  return {
    id: 1,
    collective: "all_reduce",
    algorithm: "ring",
    chosen_algorithm: null,
    chosen_because: null,
    transport: "shared_memory",
    in_place: false,
    cycle: 0,
    size_bytes: 1024,
    count: 256,
    dtype: "float32",
    op: "sum",
    ranks: 4,
    iterations: 20,
    time_us: 10,
    algbw_gb_per_s: 0.1,
    busbw_gb_per_s: 0.15,
    wrong: 0,
    min_us: 9,
    mean_us: 10,
    p50_us: 10,
    p95_us: 11,
    p99_us: 12,
    max_us: 13,
    stdev_us: 1,
    cv_percent: 10,
    measured_at: "2026-01-01T00:00:00Z",
    ...change,
  };
}

export function aLine(change: Partial<LogLine> = {}): LogLine {
  return { id: 1, node: "n1", rank: 0, stream: "stdout", time_ns: 0, text: "hello", ...change };
}

export function anEvent(change: Partial<EventView> = {}): EventView {
  return {
    id: 1,
    time: "2026-01-01T00:00:00Z",
    actor: "system",
    action: "job.running",
    target_type: "job",
    target_id: "1",
    before: null,
    after: null,
    message: "",
    ...change,
  };
}
