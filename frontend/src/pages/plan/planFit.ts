/** The planner's fields from a fit, and its residuals for a chart. Pure. */
import type { JobFit, Residual } from "../../api/types";

/** The planner's fields for the job that was fitted: its ranks, nodes and algorithms, so that its points lie on the curves. */
export function fitFields(fit: JobFit): { n: string; algorithms: string; collective: string } {
  const { ranks, ranks_per_node: perNode, residuals } = fit;
  const collective = residuals[0]?.collective ?? "all_reduce";
  const algorithms = new Set(residuals.filter((row) => row.collective === collective).map((row) => row.algorithm));
  return {
    n: perNode > 1 ? `${ranks / perNode}x${perNode}` : String(ranks),
    algorithms: [...algorithms].sort().join(","),
    collective,
  };
}

/** By how much the model's time is above (+) or below the measured one, as a share. */
export function offBy({ log_ratio: ratio }: Residual): number {
  return Math.exp(ratio) - 1;
}

/** "+12.0 %", "−3.4 %". */
export function offByInWords(residual: Residual): string {
  const value = 100 * offBy(residual);
  return Math.abs(value) < 0.05 ? "0 %" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(1)} %`;
}

/** The end of a symmetric axis of errors, at least 5 %, on a round figure. */
export function errorRange(residuals: readonly Residual[]): number {
  const most = Math.max(0.05, ...residuals.map((residual) => Math.abs(offBy(residual))));
  const decade = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((factor) => factor * decade >= most - 1e-12) ?? 10) * decade;
}
