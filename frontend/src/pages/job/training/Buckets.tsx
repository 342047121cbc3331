/** The timeline within the newest step: when each bucket was ready, and when it was summed. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { bucketsQuery } from "../../../data/training";
import type { JobView, RankBuckets } from "../../../api/types";
import { lastUs, overlapUs, type Summed, summedOf } from "../../../charts/bucketLanes";
import { Loaded } from "../../../components/states/Loaded";
import { Segments } from "../../../components/controls/Segments";
import { percent, plural, threeDigits } from "../../../lib/format";
import type { JobSearch } from "../../../lib/search/search";
import { isTerminal } from "../../../lib/state";
import { BucketLanes } from "./BucketLanes";
import { BucketTable } from "./BucketTable";
import classes from "../results/Results.module.css";

const route = getRouteApi("/jobs/$jobId");

export function Buckets({ job }: { job: JobView }) {
  const buckets = useQuery(bucketsQuery(job.id, isTerminal(job.state)));
  return (
    <Loaded query={buckets} what="The buckets could not be loaded" rows={0}>
      {(ranks) => ranks.length > 0 && <NewestStep ranks={ranks} summed={summedOf(job.spec.training?.strategy)} />}
    </Loaded>
  );
}

function NewestStep({ ranks, summed }: { ranks: readonly RankBuckets[]; summed: Summed }) {
  const { inside = "timeline" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <section className="card" aria-labelledby="buckets">
      <div className="card-head">
        <h2 id="buckets">The newest step from inside</h2>
        <div className={classes.controls}>
          <Segments
            label="View of the step"
            value={inside}
            options={[["timeline", "timeline"], ["table", "table"]]}
            onChange={(next) =>
              void navigate({
                search: (old) => ({ ...old, inside: next === "table" ? next : undefined }) as JobSearch,
                replace: true,
                resetScroll: false,
              })
            }
          />
        </div>
      </div>
      <figure className="card-body">
        {inside === "table" ? <BucketTable ranks={ranks} summed={summed} /> : <BucketLanes ranks={ranks} summed={summed} />}
        <figcaption className="dim">{caption(ranks, summed)}</figcaption>
      </figure>
    </section>
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
    `${threeDigits(lastUs(ranks) / 1000)} ms, and ${percent(summing > 0 ? overlap / summing : 0)} of the time in ${all} was under backward. ` +
    "Each rank counts from the start of its own step."
  );
}
