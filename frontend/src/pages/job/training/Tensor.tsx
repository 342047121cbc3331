/** One step of divided layers from inside, and whether dividing them pays for its sums. */
import { useQuery } from "@tanstack/react-query";
import type { JobView, RankBuckets, TensorCost } from "../../../api/types";
import { sumShare } from "../../../charts/tensorLanes";
import { Loaded } from "../../../components/states/Loaded";
import { tensorQuery } from "../../../data/insides";
import { bucketsQuery } from "../../../data/training";
import { percent, plural } from "../../../lib/format";
import { isTerminal } from "../../../lib/state";
import { StepCard } from "./StepCard";
import { TensorLanes } from "./TensorLanes";
import { TensorTable } from "./TensorTable";

export function Tensor({ job }: { job: JobView }) {
  const isOver = isTerminal(job.state);
  const sums = useQuery(bucketsQuery(job.id, isOver));
  const { data: cost } = useQuery(tensorQuery(job.id, isOver));
  return (
    <Loaded query={sums} what="The sums could not be loaded" rows={0}>
      {(ranks) => ranks.length > 0 && <Step ranks={ranks} cost={cost} />}
    </Loaded>
  );
}

function Step({ ranks, cost }: { ranks: readonly RankBuckets[]; cost: TensorCost | undefined }) {
  return (
    <StepCard
      id="tensor"
      title="A step of the divided layers"
      label="View of the step"
      timeline={<TensorLanes ranks={ranks} />}
      table={<TensorTable ranks={ranks} />}
      caption={tensorCaption(ranks, cost)}
      more={aboutTensor(cost)}
    />
  );
}

/** The comparison with one rank, or as long as there is none the picture in words. */
export function tensorCaption(ranks: readonly RankBuckets[], cost: TensorCost | undefined): string {
  if (cost?.sentence != null) return cost.sentence;
  const sums = Math.max(0, ...ranks.map((rank) => rank.buckets.length));
  return `Step ${Math.max(0, ...ranks.map((rank) => rank.step))}: ${plural(sums, "sum")} took ${percent(sumShare(ranks))} of forward and backward.`;
}

/** What one needs to know to read the picture and the comparison. */
export function aboutTensor(cost: TensorCost | undefined): string {
  const reason = cost?.reason == null ? "" : `${cost.reason} `;
  const isEstimated = cost?.sentence != null && cost.baseline_job_id == null;
  const estimate = isEstimated ? "One rank alone is estimated from the computing here; a job of one rank would measure it. " : "";
  return (
    `${reason}${estimate}The next layer needs each sum, so computing and sums take turns; a sum includes the wait for slower ranks. ` +
    "Each rank counts from the start of its own step."
  );
}
