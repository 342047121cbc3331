/** The timeline within the newest step: when each bucket was ready, and when it was summed. */
import { useQuery } from "@tanstack/react-query";
import type { JobView, RankBuckets } from "../../../api/types";
import { lastUs, overlapUs, type Summed, summedOf } from "../../../charts/bucketLanes";
import { Loaded } from "../../../components/states/Loaded";
import { bucketsQuery } from "../../../data/training";
import { percent, plural, threeDigits } from "../../../lib/format";
import { isTerminal } from "../../../lib/state";
import { BucketLanes } from "./BucketLanes";
import { BucketTable } from "./BucketTable";
import { StepCard } from "./StepCard";

export function Buckets({ job }: { job: JobView }) {
  const buckets = useQuery(bucketsQuery(job.id, isTerminal(job.state)));
  return (
    <Loaded query={buckets} what="The buckets could not be loaded" rows={0}>
      {(ranks) => ranks.length > 0 && <NewestStep ranks={ranks} summed={summedOf(job.spec.training?.strategy)} />}
    </Loaded>
  );
}

function NewestStep({ ranks, summed }: { ranks: readonly RankBuckets[]; summed: Summed }) {
  return (
    <StepCard
      id="buckets"
      title="The newest step from inside"
      label="View of the step"
      timeline={<BucketLanes ranks={ranks} summed={summed} />}
      table={<BucketTable ranks={ranks} summed={summed} />}
      caption={caption(ranks, summed)}
      more="Each rank counts from the start of its own step."
    />
  );
}

const WORDS: Record<Summed, { bucketsOf: string; last: string; all: string }> = {
  gradients: { bucketsOf: "the gradient", last: "sum", all: "sums" },
  shares: { bucketsOf: "the gradient", last: "all-gather", all: "sums and all-gathers" },
  parameters: { bucketsOf: "the parameters", last: "average", all: "averages" },
};

/** The chart in words. */
function caption(ranks: readonly RankBuckets[], summed: Summed): string {
  const { bucketsOf, last, all } = WORDS[summed];
  const steps = [...new Set(ranks.map((rank) => rank.step))].sort((a, b) => a - b);
  const count = Math.max(0, ...ranks.map((rank) => rank.buckets.length)) / (summed === "shares" ? 2 : 1);
  const summing = ranks.flatMap((rank) => rank.buckets).reduce((sum, bucket) => sum + bucket.end_us - bucket.start_us, 0);
  const overlap = ranks.reduce((sum, rank) => sum + overlapUs(rank), 0);
  const step = steps.length === 1 ? `Step ${steps[0]}` : `Steps ${steps[0]} to ${steps.at(-1)}: the newest that each rank reported`;
  return (
    `${step}: ${plural(count, "bucket")} of ${bucketsOf} on ${plural(ranks.length, "rank")}; the last ${last} ended after ` +
    `${threeDigits(lastUs(ranks) / 1000)} ms, and ${percent(summing > 0 ? overlap / summing : 0)} of the time in ${all} was under backward.`
  );
}
