import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { BandwidthJudgement, BenchmarkJob } from "../../../api/types";
import { Fact } from "../../../components/Fact";
import { useRole } from "../../../components/hooks/useRole";
import { jobPredictionQuery } from "../../../data/results";
import { judgementLook } from "../../../lib/judgement";
import { isSimulated, isTerminal } from "../../../lib/state";
import { threeDigits } from "../../../lib/format";
import { judgementQuery } from "../judgement/query";

const LABEL = "Expected here";

/** Whether the bandwidth is what this cluster should reach: the word of the judgement, which a card below explains. */
export function ExpectedFact({ job }: { job: BenchmarkJob }) {
  const isJudged = job.state === "succeeded" && !isSimulated(job);
  const judgement = useQuery({ ...judgementQuery(job.id), enabled: isJudged });
  if (isSimulated(job)) return <Fact label={LABEL} value="–" note="simulated: nothing to expect" />;
  if (!isJudged) return <Fact label={LABEL} value="–" note={isTerminal(job.state) ? "it did not succeed" : "once it has ended"} />;
  if (!judgement.data) return <Fact label={LABEL} value="–" note={judgement.isPending ? "…" : "unknown"} />;
  const { glyph, tone, text } = judgementLook(judgement.data.word);
  if (text === "unknown") return <Fact label={LABEL} value={text} note={<WhyUnknown job={job} />} />;
  return (
    <Fact
      label={LABEL}
      value={
        <span style={{ color: `var(--${tone})` }}>
          <span aria-hidden="true">{glyph} </span>
          {text}
        </span>
      }
      note={referenceWords(judgement.data)}
    />
  );
}

/** "11.9 to 13.7 GB/s by 4 own runs": what was to be expected at the largest size. */
function referenceWords({ references }: BandwidthJudgement): string {
  const found = ["baseline", "published", "model", "limit"].flatMap((kind) => references.find((one) => one.kind === kind) ?? [])[0];
  return found ? `${threeDigits(found.low_gb_per_s)} to ${threeDigits(found.high_gb_per_s)} GB/s by ${found.source}` : "";
}

/** How many earlier runs are missing, and how to get one more. */
function WhyUnknown({ job }: { job: BenchmarkJob }) {
  const { mayChange } = useRole();
  const { data: prediction } = useQuery(jobPredictionQuery(job.id, job.attempts.length));
  const { best_row_runs: runs, needed_runs: needed = 0 } = prediction ?? {};
  if (runs == null) return "nothing to compare with";
  if (runs >= needed) return "earlier runs disagree";
  const words = `${runs} of ${needed} runs`;
  return mayChange ? (
    <Link to="/jobs/new" search={{ from: String(job.id) }} title="Measure again">
      {words}
    </Link>
  ) : (
    words
  );
}
