/** Reports of jobs for the tests: rows, steps, lines of a log; each test names only what it is about. */
import type { CalledCollectives, ComparedRow, CurvePoint, EventView, LogLine, MeasurementView, NewestSteps, Pipeline, RackLinkView, RankBuckets, StepBlock, TensorCost } from "../api/types";

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
  const usual = { algorithm: "ring", size_bytes: 1024, in_place: false, time_us: 10, median_us: null, busbw_gb_per_s: 2, p5_us: 8, p50_us: 9, p95_us: 16, is_unstable: false, iterations: 20 };
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
    input_us: null,
    memory_bytes: null,
    ...change,
  };
}

/** The newest steps of the ranks of attempt 1. */
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
    input_us: null,
    memory_bytes: null,
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

/** One step of two ranks that divide a pair of layers: a sum forward, and one backward. */
export function someTensorSums(): RankBuckets[] {
  const buckets: RankBuckets["buckets"] = [
    { bytes: 1024, ready_us: 100, start_us: 100, end_us: 300, layer: "blocks.0.mlp_out", direction: "forward" },
    { bytes: 2048, ready_us: 500, start_us: 500, end_us: 900, layer: "blocks.0.mlp_in", direction: "backward" },
  ];
  return [{ rank: 0, step: 9, backward_us: 1000, buckets }, { rank: 1, step: 9, backward_us: 1000, buckets }];
}

/** What dividing the layers costs and saves: it does not pay, by an estimate. */
export function aTensorCost(change: Partial<TensorCost> = {}): TensorCost {
  return {
    sums: 2, sum_bytes: 3072, divided_share: 0.95, step_us: 1000, sum_us: 600, compute_us: 400, alone_us: 800,
    baseline_job_id: null, pays: false, sentence: "Dividing the layers does not pay here.", reason: "A step has 2 sums.",
    ...change,
  };
}

/** What two ranks of a script called: DDP's sums, gathers that end after the call, and barriers. */
export function someCollectives(): CalledCollectives {
  return {
    items: [
      { collective: "all_reduce of DDP", least_bytes: 1 << 22, mean_bytes: 1 << 22, ranks: 2, calls: 128, bytes: 1 << 29, time_us: 2100, algbw_gb_per_s: 1.997 },
      { collective: "all_gather", least_bytes: 64, mean_bytes: 96, ranks: 2, calls: 4, bytes: 384, time_us: null, algbw_gb_per_s: null },
      { collective: "barrier", least_bytes: 0, mean_bytes: 0, ranks: 2, calls: 2, bytes: 0, time_us: 400, algbw_gb_per_s: null },
    ],
    ranks: 2,
  };
}

/** One step of a pipeline of two stages with one micro-batch; the second stage begins 100 µs later. */
export function somePipeline(): Pipeline {
  const common = { type: "pipeline_step" as const, step: 9, replica: 0, peak_activations: 1 };
  return {
    items: [
      {
        ...common, rank: 0, stage: 0, start_ns: 1_000_000, part: [0, 0, 0, 0], micro_batch: [0, 0, 0, 0],
        kind: ["forward", "send", "wait", "backward"], start_us: [0, 200, 200, 800], end_us: [200, 250, 800, 1000],
      },
      {
        ...common, rank: 1, stage: 1, start_ns: 1_100_000, part: [1, 1, 1, 1], micro_batch: [0, 0, 0, 0],
        kind: ["wait", "forward", "backward", "send"], start_us: [0, 100, 300, 700], end_us: [100, 300, 700, 750],
      },
    ],
    bubble: 0.5,
    ideal_bubble: 0.5,
  };
}

/** The links of two racks, whose slowest direction has this rate in GB/s. */
export function aRackLink(racks: [string | null, string | null], slowest: number, change: Partial<RackLinkView> = {}): RackLinkView {
  return {
    racks, pairs: 6, measured: 4, slowest_nodes: ["n1", "n2"], slowest_gb_per_s: slowest, slowest_low_gb_per_s: 0.99 * slowest,
    slowest_high_gb_per_s: 1.01 * slowest, median_gb_per_s: slowest, newest_at: "2026-01-01T00:00:00Z", ...change,
  };
}
