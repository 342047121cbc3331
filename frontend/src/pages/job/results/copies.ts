/** A benchmark's results as other tools read them: CSV and Markdown. */
import type { BenchmarkJob, MeasurementView } from "../../../api/types";
import { allColumns, toCsv } from "../../../lib/csv";
import { threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import { basisOf, caveats } from "../../../lib/sweep/caveats";
import { jobTitle } from "../../../lib/state";

const CSV_COLUMNS = allColumns<Omit<MeasurementView, "id">>()([
  "collective", "algorithm", "chosen_algorithm", "chosen_because", "transport", "in_place", "cycle", "size_bytes",
  "count", "dtype", "op", "ranks", "cores", "channels", "library_function", "nccl_report", "lowered_max_bytes", "cuda_graph_launches", "iterations", "time_us", "time_low_us", "time_high_us", "device_time_us", "algbw_gb_per_s", "busbw_gb_per_s", "wrong", "min_us",
  "mean_us", "p5_us", "p10_us", "p50_us", "p90_us", "p95_us", "p99_us", "max_us", "stdev_us", "cv_percent", "measured_at",
]);

/** Every row with every column. */
export function csvOf(job: BenchmarkJob, rows: readonly MeasurementView[]): string {
  return toCsv(rows, CSV_COLUMNS, ({ transport }) => basisOf(job, transport));
}

/** The verdict with its caveats and a table of the best bus bandwidths; `url` is the address of the job's page. */
export function markdownOf(job: BenchmarkJob, verdict: string, url: string): string {
  const title = jobTitle(job);
  const name = title === `Job ${job.id}` ? title : `Job ${job.id}, ${title}`;
  const lines = job.summary.best.map(
    ({ algorithm, busbw_gb_per_s: best, size_bytes: size, in_place: inPlace }) =>
      `| ${algorithm} | ${threeDigits(best)} | ${formatSize(size)}${inPlace ? " in place" : ""} |`,
  );
  return [
    `**[${name}](${url})**: ${verdict}`,
    ...caveats(job).map(({ word, why }) => `- ${word}: ${why}`),
    "",
    ...(lines.length > 0 ? ["| algorithm | best busbw (GB/s) | at |", "|---|---|---|", ...lines, ""] : []),
  ].join("\n");
}
