import { useQuery } from "@tanstack/react-query";
import type { BenchmarkJob } from "../../../api/types";
import { Fact } from "../../../components/Fact";
import { jobPredictionQuery } from "../../../data/results";
import { isSimulated, isTerminal } from "../../../lib/state";
import { expectedOf } from "../../../lib/sweep/expected";
import { threeDigits } from "../../../lib/format";

const LABEL = "Expected here";

/** Whether the best bandwidth is what this cluster should reach. */
export function ExpectedFact({ job }: { job: BenchmarkJob }) {
  const prediction = useQuery(jobPredictionQuery(job.id, job.attempts.length));
  const best = job.summary.best[0];
  if (isSimulated(job)) return <Fact label={LABEL} value="–" note="simulated: nothing to expect" />;
  if (!isTerminal(job.state)) return <Fact label={LABEL} value="–" note="once it has ended" />;
  if (!best || !prediction.data) return <Fact label={LABEL} value="–" note={best && prediction.isPending ? "…" : "unknown"} />;
  const found = expectedOf(best, prediction.data);
  if (!found) return <Fact label={LABEL} value="–" note="too few runs" />;
  const { isLow, share, note } = found;
  return (
    <Fact
      label={LABEL}
      value={
        <span style={isLow === null ? undefined : { color: `var(--${isLow ? "warn" : "good"})` }}>
          {isLow !== null && <span aria-hidden="true">{isLow ? "⚠ " : "✓ "}</span>}
          {threeDigits(100 * share)} %
        </span>
      }
      note={isLow ? `below all runs: ${note}` : note}
    />
  );
}
