/** One step of a pipeline from inside: what each stage did when, and how long it was idle. */
import { useQuery } from "@tanstack/react-query";
import type { JobView, Pipeline as Told } from "../../../api/types";
import { Loaded } from "../../../components/states/Loaded";
import { pipelineQuery } from "../../../data/insides";
import { percent, plural } from "../../../lib/format";
import { isTerminal } from "../../../lib/state";
import { PipelineLanes } from "./PipelineLanes";
import { PipelineTable } from "./PipelineTable";
import { StepCard } from "./StepCard";

export function Pipeline({ job }: { job: JobView }) {
  const query = useQuery(pipelineQuery(job.id, isTerminal(job.state)));
  return (
    <Loaded query={query} what="The step of the pipeline could not be loaded" rows={0}>
      {(told) => told.items.length > 0 && <Step told={told} />}
    </Loaded>
  );
}

function Step({ told }: { told: Told }) {
  return (
    <StepCard
      id="pipeline"
      title="A step of the pipeline"
      label="View of the pipeline"
      timeline={<PipelineLanes ranks={told.items} />}
      table={<PipelineTable ranks={told.items} />}
      caption={pipelineCaption(told)}
      more={aboutPipeline(told)}
    />
  );
}

/** The chart in words. */
export function pipelineCaption({ items, bubble, ideal_bubble: ideal }: Told): string {
  const steps = [...new Set(items.map((rank) => rank.step))].sort((a, b) => a - b);
  const step = steps.length === 1 ? `Step ${steps[0]}` : `Steps ${steps[0]} to ${steps.at(-1)}, the newest of each rank`;
  const stages = plural(new Set(items.map((rank) => rank.stage)).size, "stage");
  if (bubble == null) return `${step}: what ${stages} did.`;
  const least = ideal == null ? "" : `; ideal stages would be idle for ${percent(ideal)}`;
  return `${step}: ${stages} were idle for ${percent(bubble)} of the time, on average${least}.`;
}

/** What one needs to know to read the picture. */
export function aboutPipeline({ items }: Told): string {
  const parts = microBatches(new Set(items.flatMap((rank) => rank.micro_batch)).size);
  const kept = microBatches(Math.max(...items.map((rank) => rank.peak_activations)));
  return (
    `A batch passes through the stages as ${parts}. A stage kept the activations of at most ${kept} at a time. ` +
    "A stage is idle while it neither runs forward nor backward. Ideal stages take equally long and send in no time. " +
    "The clocks of the nodes place the lanes."
  );
}

function microBatches(count: number): string {
  return `${count} micro-batch${count === 1 ? "" : "es"}`;
}
