/** Whole objects for the tests of this folder; each test names only what it is about. */
import type { AlgorithmBest, BenchmarkJob, BenchmarkSpec, Engine, JobSpec, JobView, MemberView, NodeView } from "../api/types";

export function aJob(change: Partial<BenchmarkJob> = {}): BenchmarkJob {
  return {
    id: 1,
    name: "sweep",
    kind: "benchmark",
    state: "running",
    reason: null,
    message: "",
    advice: "",
    fewer_ranks: "",
    is_adopted: false,
    user: "ada",
    created_at: "2026-01-01T00:00:00Z",
    queued_at: "2026-01-01T00:00:00Z",
    started_at: null,
    finished_at: null,
    priority: 50,
    labels: {},
    note: "",
    ranks: 4,
    revision: 1,
    cloned_from: null,
    schedule_id: null,
    not_before: null,
    excluded_nodes: [],
    pending: null,
    progress: { done: 0, total: 10 },
    summary: { kind: "benchmark", best: [], sizes: [], ranks: 4, cores: null, wrong: 0, winners: [], results: [], same_messages: [], verdict: "", explanation: "" },
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
        registration: 0,
        cuda_graph_launches: 0,
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
        preflight: false,
        arrangement: "pack",
        min_ranks: null,
        same_rack: false, quiet: false,
        node_names: [],
        gpu_model: null,
        min_gpu_memory_bytes: null,
        min_memory_bytes: null,
      },
      priority: 50,
      time_limit_seconds: 600,
      start_seconds: null,
      load_seconds: 1800,
      hang_seconds: null,
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

/** An attempt that ran on no node. */
export function anAttempt(change: Partial<JobView["attempts"][number]> = {}): JobView["attempts"][number] {
  const times = { created_at: "2026-01-01T00:00:00Z", started_at: null, finished_at: null };
  const end = { reason: null, message: "", bad_node: null, bad_rank: null, disturbed_by: null, start_limit_seconds: null };
  return { id: 1, number: 1, nodes: [], members: [], ...times, ...end, ...change };
}

/** A node of an attempt that has just been assigned. */
export function aMember(change: Partial<MemberView> = {}): MemberView {
  const times = { ready_at: null, running_at: null, ended_at: null, clean_at: null };
  const clock = { clock_offset_seconds: null, clock_error_seconds: null };
  return { node: "h1", first_rank: 0, ranks: 4, phase: "assigned", ...times, ...clock, ...change };
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
    strategy_search: searchChoices(),
  };
}

/** Some candidates of a strategy search, and the default search. */
export function searchChoices(): Engine["strategy_search"] {
  const { model, model_arguments, dataset, global_batch_size, optimizer, learning_rate, momentum, precision, seed } = PLAIN_TRAINING;
  const learning = { model, model_arguments: model_arguments ?? {}, dataset, global_batch_size, optimizer, learning_rate, momentum, precision, seed };
  const { defaults } = trainingChoices();
  return {
    candidates: [
      { name: "mirrored-auto", strategy: "mirrored", options: {} },
      { name: "mirrored-ring", strategy: "mirrored", options: { all_reduce: "ring" } },
      { name: "torch_ddp", strategy: "torch_ddp", options: {} },
    ],
    defaults: {
      ...defaults,
      kind: "strategy_search",
      training: null,
      strategy_search: { ...learning, strategies: ["all"], target_accuracy: null, budget_seconds: 300 },
      placement: { ...defaults.placement, nodes: null, exclusive: true },
      time_limit_seconds: 1200,
      max_attempts: 10,
    },
  };
}

/** Some choices of training, and the default job. */
export function trainingChoices(): Engine["training"] {
  const { spec } = aJob();
  return {
    fields: {
      strategy: ["mirrored", "multi_worker_mirrored", "parameter_server", "local_sgd", "sharded", "pipeline", "tensor", "torch_ddp", "torch_fsdp"],
      all_reduce: ["auto", "ring", "direct"],
      transport: ["auto", "shared_memory", "mpi"],
      device: ["auto", "cpu", "cuda"],
      consistency: ["sync", "async", "ssp"],
      weights: ["samples", "equal"],
      split: ["shared", "by_label"],
      schedule: ["gpipe", "1f1b", "interleaved"],
      batch_split: ["equal", "speed"],
      optimizer: ["sgd", "adam"],
      precision: ["float32", "bfloat16"],
      compression: ["none", "fp16", "top_k", "powersgd"],
      on_nan: ["stop", "skip"],
    },
    datasets: ["digits", "cifar10", "text", "synthetic", "own"],
    models: { mlp: { hidden: 256, layers: 2 }, gpt: { layers: 2, heads: 4, width: 128, context: 128 } },
    one_node: ["mirrored"],
    own_fields: {
      servers: ["parameter_server"],
      consistency: ["parameter_server"],
      staleness: ["parameter_server"],
      sync_every: ["local_sgd"],
      outer_momentum: ["local_sgd"],
      outer_learning_rate: ["local_sgd"],
      weights: ["local_sgd"],
      split: ["local_sgd"],
      stages: ["pipeline"],
      micro_batches: ["pipeline"],
      schedule: ["pipeline"],
      batch_split: ["mirrored", "multi_worker_mirrored", "sharded"],
      compression: ["mirrored", "multi_worker_mirrored"],
      verify_every: ["mirrored", "multi_worker_mirrored", "sharded", "local_sgd", "tensor"],
      min_ranks: ["mirrored", "multi_worker_mirrored", "sharded"],
    },
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
  sync_every: 8,
  outer_momentum: 0,
  outer_learning_rate: 1,
  weights: "samples",
  split: "shared",
  stages: 2,
  micro_batches: 4,
  schedule: "1f1b",
  model: "mlp",
  model_arguments: {},
  dataset: { name: "digits", file: null, load: "load", workers: 0, prefetch: 2, path: null, samples: null, validation_percent: 20 },
  global_batch_size: 64,
  batch_split: "equal",
  epochs: 10,
  max_steps: null,
  optimizer: "sgd",
  learning_rate: 0.05,
  momentum: 0.9,
  weight_decay: 0,
  precision: "float32",
  compile: false,
  accumulation_steps: 1,
  bucket_bytes: 26_214_400,
  overlap: true,
  compression: "none",
  top_k_percent: 1,
  powersgd_rank: 2,
  clip_norm: null,
  on_nan: "stop",
  verify_every: null,
  checkpoint_every_steps: null,
  resume_from: null,
  target_accuracy: null,
  seed: 0,
  timeout_seconds: 300,
};

/** A training job that has finished two of its five epochs. */
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
      is_diverged: false,
      validation_loss: 0.2,
      validation_accuracy: 0.975,
      samples_per_second: 12_345.6,
      step_seconds: 10,
      timed_steps: 9,
      compute_seconds: 9,
      communication_seconds: 2,
      exposed_communication_seconds: 0.5,
      input_seconds: 0.1,
      epochs_done: 2,
      steps_done: 10,
      steps_total: 25,
      seconds_to_target: null,
      scaling_efficiency: null,
      scaling_baseline_job_id: null,
      ranks: 2,
      cores: 2,
    },
    spec: { ...trainingChoices().defaults, name: "digits", placement: { ...spec.placement, nodes: 1 } },
    ...change,
  };
}

/** A job of kind script whose file is train.py, and which reports no epochs. */
export function aScript(change: Partial<JobView> = {}): JobView {
  const { spec, summary, ...job } = aTraining();
  const script = { file: "train.py", arguments: [], as_module: false, no_watch: false, device: "auto" as const };
  return {
    ...job,
    kind: "script",
    name: "train",
    summary: { ...summary, kind: "script", epochs_done: 0 } as JobView["summary"],
    spec: { ...spec, kind: "script", training: null, script },
    ...change,
  };
}

/** A diagnosis of the links between nodes that has ended with a verdict. */
export function aDiagnosisJob(change: Partial<JobView> = {}): JobView {
  const { spec, summary, ...job } = aTraining();
  const diagnosis = { measure: "cause", size_bytes: 4 << 20, both_ways: false } as NonNullable<JobSpec["diagnosis"]>;
  const verdict = "h2 reaches 50 % of what others reach with h1 and h3, which are fine with others.";
  return {
    ...job,
    kind: "diagnosis",
    name: "",
    state: "succeeded",
    summary: { ...summary, kind: "diagnosis", verdict } as JobView["summary"],
    spec: { ...spec, kind: "diagnosis", name: "", training: null, diagnosis },
    ...change,
  };
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
    ...{ slots_total: 0, slots_busy: 0, slots_free: 0, slots_quarantined: 0 },
    slots: [],
    inventory: {
      hostname: "n1",
      os: "Linux",
      cpu_model: "x",
      cores: 2,
      memory_bytes: 1,
      gpus: [],
      nics: [],
      lacks: [],
      only_here: false,
      allow_env: [],
      nccl_ras: "",
    },
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
