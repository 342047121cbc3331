import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { BenchmarkJob, JobPrediction } from "../../../api/types";
import { Fact } from "../../../components/Fact";
import { useRole } from "../../../components/hooks/useRole";
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
  if (!found) return <Fact label={LABEL} value="–" note={<TooFew job={job} prediction={prediction.data} />} />;
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

/** How many earlier runs are missing, and how to get one more. */
function TooFew({ job, prediction: { best_row_runs: runs, needed_runs: needed } }: { job: BenchmarkJob; prediction: JobPrediction }) {
  const { mayChange } = useRole();
  if (runs == null) return "unknown";
  if (runs >= needed) return "earlier runs disagree";
  return (
    <>
      {`${runs} of ${needed} runs${mayChange ? "; " : ""}`}
      {mayChange && <Link to="/jobs/new" search={{ from: String(job.id) }}>measure again</Link>}
    </>
  );
}
