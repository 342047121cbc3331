/** One step of a pipeline from inside: what each stage did when, and how long it was idle. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { JobView, Pipeline as Told } from "../../../api/types";
import { Segments } from "../../../components/controls/Segments";
import { Loaded } from "../../../components/states/Loaded";
import { pipelineQuery } from "../../../data/pipeline";
import { percent, plural } from "../../../lib/format";
import type { JobSearch } from "../../../lib/search/search";
import { isTerminal } from "../../../lib/state";
import classes from "../results/Results.module.css";
import { PipelineLanes } from "./PipelineLanes";
import { PipelineTable } from "./PipelineTable";

const route = getRouteApi("/jobs/$jobId");

export function Pipeline({ job }: { job: JobView }) {
  const query = useQuery(pipelineQuery(job.id, isTerminal(job.state)));
  return (
    <Loaded query={query} what="The step of the pipeline could not be loaded" rows={0}>
      {(told) => told.items.length > 0 && <Step told={told} />}
    </Loaded>
  );
}

function Step({ told }: { told: Told }) {
  const { inside = "timeline" } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <section className="card" aria-labelledby="pipeline">
      <div className="card-head">
        <h2 id="pipeline">A step of the pipeline</h2>
        <div className={classes.controls}>
          <Segments
            label="View of the pipeline"
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
        {inside === "table" ? <PipelineTable ranks={told.items} /> : <PipelineLanes ranks={told.items} />}
        <figcaption className="dim">{pipelineCaption(told)}</figcaption>
      </figure>
    </section>
  );
}

/** The chart in words. */
export function pipelineCaption({ items, bubble, ideal_bubble: ideal }: Told): string {
  const steps = [...new Set(items.map((rank) => rank.step))].sort((a, b) => a - b);
  const stages = new Set(items.map((rank) => rank.stage)).size;
  const microBatches = new Set(items.flatMap((rank) => rank.micro_batch)).size;
  const peak = Math.max(...items.map((rank) => rank.peak_activations));
  const step = steps.length === 1 ? `Step ${steps[0]}` : `Steps ${steps[0]} to ${steps.at(-1)}, the newest that each rank reported`;
  const parts = `${microBatches} micro-batch${microBatches === 1 ? "" : "es"}`;
  return (
    `${step}: ${parts} on ${plural(stages, "stage")}. ` +
    (bubble == null ? "" : `A stage was idle for ${percent(bubble)} of the step, on average. `) +
    (ideal == null ? "" : `With equally long parts, and if sending took no time, it would be ${percent(ideal)}. `) +
    `A stage kept the activations of at most ${peak} micro-batch${peak === 1 ? "" : "es"} at a time.`
  );
}
