/** Whole objects for the tests of this folder; each test names only what it is about. */
import type { AlgorithmBest, BenchmarkJob, BenchmarkSpec, ComparedRow, CurvePoint, Engine, EventView, JobSpec, JobView, LogLine, MeasurementView, NewestSteps, NodeView, RankBuckets, StepBlock } from "../api/types";

export function aJob(change: Partial<BenchmarkJob> = {}): BenchmarkJob {
  return {
    id: 1,
    name: "sweep",
    kind: "benchmark",
    state: "running",
    reason: null,
    message: "",
    advice: "",
    user: "ada",
    created_at: "2026-01-01T00:00:00Z",
    queued_at: "2026-01-01T00:00:00Z",
    started_at: null,
    finished_at: null,
    priority: 50,
    labels: {},
    ranks: 4,
    revision: 1,
    cloned_from: null,
    schedule_id: null,
    not_before: null,
    excluded_nodes: [],
    pending: null,
    progress: { done: 0, total: 10 },
    summary: { kind: "benchmark", best: [], sizes: [], ranks: 4, cores: null, wrong: 0, winners: [], verdict: "", explanation: "" },
    attempts: [],
    insights: [],
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
        trace: false,
        check: true,
        timeout_seconds: 300,
      },
      placement: {
        ranks: 4,
        ranks_per_node: null,
        nodes: null,
        selector: {},
        exclusive: true,
        arrangement: "pack",
        same_rack: false,
        gpu_model: null,
        min_gpu_memory_bytes: null,
        min_memory_bytes: null,
      },
      priority: 50,
      time_limit_seconds: 600,
      hang_seconds: 60,
      queue_timeout_seconds: null,
      hold: false,
      max_attempts: 3,
      labels: {},
    },
    ...change,
  };
}

/** An algorithm's best row, as a summary has it. */
export function aBest(change: Partial<AlgorithmBest> = {}): AlgorithmBest {
  return { algorithm: "ring", transport: "mpi", size_bytes: 1024, in_place: false, busbw_gb_per_s: 2.5, iterations: 20, is_unstable: false, ...change };
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

/** A try that ran on no node. */
export function anAttempt(change: Partial<JobView["attempts"][number]> = {}): JobView["attempts"][number] {
  const times = { created_at: "2026-01-01T00:00:00Z", started_at: null, finished_at: null };
  const end = { reason: null, message: "", bad_node: null, bad_rank: null, disturbed_by: null };
  return { id: 1, number: 1, nodes: [], members: [], ...times, ...end, ...change };
}

/** The specification of a simulation. */
export function aSimulation(): BenchmarkSpec {
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
        priced: ["ring", "direct", "tree", "naive"],
        reduces: true,
        has_root: false,
        checked_in_place: true,
      },
      broadcast: {
        algorithms: ["auto", "ring", "tree", "naive", "mpi"],
        usual: ["ring", "mpi"],
        simulated: ["ring", "tree", "naive"],
        priced: ["ring", "tree", "naive"],
        reduces: false,
        has_root: true,
        checked_in_place: true,
      },
      alltoall: {
        algorithms: ["auto", "direct", "mpi"],
        usual: ["direct", "mpi"],
        simulated: ["direct"],
        priced: ["direct"],
        reduces: false,
        has_root: false,
        checked_in_place: false,
      },
    },
    dtypes: ["float32", "int32"],
    ops: ["sum"],
    transports: ["auto", "shared_memory", "mpi", "simulated"],
    links: ["10gbe", "ib200", "nvlink4"],
    training: trainingChoices(),
  };
}

/** Some choices of training, and the job that says nothing. */
export function trainingChoices(): Engine["training"] {
  const { spec } = aJob();
  return {
    fields: {
      strategy: ["mirrored", "multi_worker_mirrored", "parameter_server", "torch_ddp"],
      all_reduce: ["auto", "ring", "direct"],
      transport: ["auto", "shared_memory", "mpi"],
      device: ["auto", "cpu", "cuda"],
      consistency: ["sync", "async", "ssp"],
      model: ["mlp", "gpt"],
      batch_split: ["equal", "speed"],
      optimizer: ["sgd", "adam"],
      precision: ["float32", "bfloat16"],
      compression: ["none", "fp16", "top_k", "powersgd"],
    },
    datasets: ["digits", "cifar10", "text", "synthetic"],
    models: { mlp: { hidden: 256, layers: 2 }, gpt: { layers: 2, heads: 4, width: 128, context: 128 } },
    one_node: ["mirrored"],
    parameter_servers: ["parameter_server"],
    defaults: {
      ...spec,
      name: "",
      kind: "training",
      benchmark: null,
      script: null,
      training: PLAIN_TRAINING,
      placement: { ...spec.placement, ranks: 2, nodes: 1 },
    },
  };
}

/** Training as the server completes it. */
export const PLAIN_TRAINING: NonNullable<JobSpec["training"]> = {
  strategy: "mirrored",
  all_reduce: "auto",
  transport: "auto",
  device: "auto",
  servers: 1,
  consistency: "sync",
  staleness: null,
  model: "mlp",
  model_arguments: {},
  dataset: { name: "digits", path: null, samples: null, validation_percent: 20 },
  global_batch_size: 64,
  batch_split: "equal",
  epochs: 10,
  max_steps: null,
  optimizer: "sgd",
  learning_rate: 0.05,
  momentum: 0.9,
  weight_decay: 0,
  precision: "float32",
  accumulation_steps: 1,
  bucket_bytes: 26_214_400,
  overlap: true,
  compression: "none",
  top_k_percent: 1,
  powersgd_rank: 2,
  clip_norm: null,
  checkpoint_every_steps: null,
  resume_from: null,
  target_accuracy: null,
  seed: 0,
  timeout_seconds: 300,
};

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
    time_low_us: 9.8,
    time_high_us: 10.2,
    algbw_gb_per_s: 0.1,
    busbw_gb_per_s: 0.15,
    wrong: 0,
    min_us: 9,
    mean_us: 10,
    p5_us: 9.25,
    p10_us: 9.5,
    p50_us: 10,
    p90_us: 10.5,
    p95_us: 11,
    p99_us: 12,
    max_us: 13,
    stdev_us: 1,
    cv_percent: 10,
    measured_at: "2026-01-01T00:00:00Z",
    ...change,
  };
}

export function aComparedRow(change: Partial<ComparedRow> = {}): ComparedRow {
  const usual = { algorithm: "ring", size_bytes: 1024, in_place: false, time_us: 10, busbw_gb_per_s: 2, p5_us: 8, p50_us: 9, p95_us: 16, is_unstable: false, iterations: 20 };
  return { ...usual, against: null, ...change };
}

/** Three iterations of one rank. */
export function aBlock(change: Partial<StepBlock> = {}): StepBlock {
  return {
    rank: 0,
    op: "all_reduce",
    algorithm: "ring",
    transport: "shared_memory",
    in_place: false,
    bytes: 1024,
    steps: 3,
    last_step: 2,
    started_at_ns: 0,
    last_us: 12,
    mean_us: 11,
    min_us: 10,
    max_us: 12,
    busbw_gb_per_s: 0.14,
    recent_us: [10, 11, 12],
    loss: null,
    samples: null,
    compute_us: 0,
    exposed_us: 11,
    ...change,
  };
}

/** What the ranks of attempt 1 are at. */
export function someSteps(items: StepBlock[], change: Partial<NewestSteps> = {}): NewestSteps {
  return { job_id: 1, attempt_id: 1, ranks: items.length, items, ...change };
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

/** A training job that has ended two of its five epochs. */
export function aTraining(change: Partial<JobView> = {}): JobView {
  const { spec, ...job } = aJob();
  return {
    ...job,
    kind: "training",
    name: "digits",
    progress: { done: 10, total: 25 },
    summary: {
      kind: "training",
      loss: 0.1234,
      validation_loss: 0.2,
      validation_accuracy: 0.975,
      samples_per_second: 12_345.6,
      step_seconds: 10,
      communication_seconds: 2,
      exposed_communication_seconds: 0.5,
      epochs_done: 2,
      steps_done: 10,
      steps_total: 25,
      seconds_to_target: null,
      scaling_efficiency: null,
      scaling_baseline_job_id: null,
    },
    spec: { ...trainingChoices().defaults, name: "digits", placement: { ...spec.placement, nodes: 1 } },
    ...change,
  };
}

/** Ten steps of a training job as one point. */
export function aPoint(change: Partial<CurvePoint> = {}): CurvePoint {
  return {
    first_step: 0,
    last_step: 9,
    loss: 1,
    samples_per_second: 1000,
    duration_us: 100,
    compute_us: 60,
    communication_us: 50,
    exposed_us: 30,
    ...change,
  };
}

/** One step of two ranks: two buckets, one of them summed under backward, and one bucket after it. */
export function someBuckets(): RankBuckets[] {
  return [
    {
      rank: 0,
      step: 9,
      backward_us: 400,
      buckets: [
        { bytes: 1024, ready_us: 100, start_us: 150, end_us: 450 },
        { bytes: 2048, ready_us: 390, start_us: 460, end_us: 800 },
      ],
    },
    { rank: 1, step: 9, backward_us: 500, buckets: [{ bytes: 3072, ready_us: 490, start_us: 500, end_us: 1000 }] },
  ];
}

export function aNode(change: Partial<NodeView> = {}): NodeView {
  return {
    id: 1,
    name: "n1",
    address: "n1",
    revision: 1,
    desired: "active",
    desired_reason: "",
    desired_by: null,
    desired_at: null,
    observed: "ready",
    observed_reason: "",
    slots_total: 0,
    slots_busy: 0,
    slots_quarantined: 0,
    slots: [],
    inventory: { hostname: "n1", os: "Linux", cpu_model: "x", cores: 2, memory_bytes: 1, gpus: [], nics: [] },
    versions: {},
    labels: {},
    rack: null,
    label_overrides: {},
    metrics_address: "n1:9465",
    registered_at: "2026-01-01T00:00:00Z",
    last_heartbeat_at: "2026-01-01T00:00:00Z",
    clock_offset_seconds: null,
    clock_error_seconds: null,
    leaves_at: null,
    heartbeat_age_seconds: 0,
    ...change,
  };
}
