// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { bucketsQuery, curveQuery, newestEpochsQuery } from "../../../data/training";
import { pipelineQuery } from "../../../data/insides";
import { aTraining, PLAIN_TRAINING } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { aPoint, somePipeline } from "../../../testing/resultFixtures";
import { aboutPipeline, pipelineCaption } from "./Pipeline";
import { PipelineLanes } from "./PipelineLanes";
import { PipelineTable } from "./PipelineTable";
import { TrainingResults } from "./TrainingResults";

vi.mock("uplot", () => ({ default: vi.fn() }));

const text = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

it("draws a lane for each stage with forward, backward, send and wait, and says the same in a table", () => {
  const lanes = renderToStaticMarkup(<PipelineLanes ranks={somePipeline().items} />);
  expect(lanes).toContain('aria-hidden="true"');
  expect(text(lanes)).toMatch(/rank 0 stage 0 .*F0.*B0.*rank 1 stage 1/);
  for (const kind of ["forward", "backward", "send", "wait"]) {
    expect(lanes.match(new RegExp(`<title>${kind}, micro-batch 0, part`, "g")), kind).toHaveLength(2);
  }
  const table = text(renderToStaticMarkup(<PipelineTable ranks={somePipeline().items} />));
  expect(table).toContain(" 0 0 0 9 0.200 0.200 0.600 0.0500 1 ");
});

it("says how long a stage was idle, and how long it would be at best", () => {
  expect(pipelineCaption(somePipeline())).toBe(
    "Step 9: 2 stages were idle for 50.0 % of the time, on average; ideal stages would be idle for 50.0 %.",
  );
  expect(aboutPipeline(somePipeline())).toContain("as 1 micro-batch. A stage kept the activations of at most 1 micro-batch at a time.");
  const { items } = somePipeline();
  const apart = items.map((rank, index) => ({ ...rank, step: index }));
  expect(pipelineCaption({ items: apart, bubble: null, ideal_bubble: 0.2 })).toMatch(/^Steps 0 to 1, the newest of each rank: what 2 stages did\.$/);
});

it("is on the page of a pipeline's job", async () => {
  const job = aTraining();
  const staged = { ...job, spec: { ...job.spec, training: { ...PLAIN_TRAINING, strategy: "pipeline" as const } } };
  const done = job.summary.kind === "benchmark" ? 0 : job.summary.epochs_done;
  const answers = new Answers()
    .of(curveQuery(job.id, false), { points: [aPoint()], steps_per_point: 1, attempts: [], epochs: [] })
    .of(bucketsQuery(job.id, false), [])
    .of(pipelineQuery(job.id, false), somePipeline())
    .of(newestEpochsQuery(job.id, done), []);
  const page = await drawn(<TrainingResults job={staged} />, `/jobs/${job.id}?view=table`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain("A step of the pipeline"));
});
