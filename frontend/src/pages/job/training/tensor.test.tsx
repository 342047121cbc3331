// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { tensorQuery } from "../../../data/insides";
import { bucketsQuery, curveQuery, newestEpochsQuery } from "../../../data/training";
import { aTraining, PLAIN_TRAINING } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { aPoint, aTensorCost, someTensorSums } from "../../../testing/resultFixtures";
import { aboutTensor, tensorCaption } from "./Tensor";
import { TensorLanes } from "./TensorLanes";
import { TensorTable } from "./TensorTable";
import { TrainingResults } from "./TrainingResults";

vi.mock("uplot", () => ({ default: vi.fn() }));

const text = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

it("draws computing and the sums of both passes, and says the same in a table", () => {
  const lanes = renderToStaticMarkup(<TensorLanes ranks={someTensorSums()} />);
  expect(lanes).toContain('aria-hidden="true"');
  expect(lanes.match(/<title>computing<\/title>/g)).toHaveLength(6);
  expect(lanes.match(/<title>blocks\.0\.mlp_in, backward, 2 KiB<\/title>/g)).toHaveLength(2);
  const table = text(renderToStaticMarkup(<TensorTable ranks={someTensorSums()} />));
  expect(table).toContain(" 0 9 blocks.0.mlp_out forward 1 KiB 0.100 0.300 1.00 ");
});

it("says whether it pays, how that is known, and before that how much of a step the sums take", () => {
  expect(tensorCaption(someTensorSums(), aTensorCost())).toBe("Dividing the layers does not pay here.");
  expect(tensorCaption(someTensorSums(), undefined)).toBe("Step 9: 2 sums took 60.0 % of forward and backward.");
  expect(aboutTensor(aTensorCost())).toMatch(/^A step has 2 sums\. One rank alone is estimated/);
  expect(aboutTensor(aTensorCost({ baseline_job_id: 7 }))).not.toContain("estimated");
  expect(aboutTensor(undefined)).toMatch(/^The next layer needs each sum/);
});

it("is on the page of a job with divided layers, in place of the buckets", async () => {
  const job = aTraining();
  const divided = { ...job, spec: { ...job.spec, training: { ...PLAIN_TRAINING, strategy: "tensor" as const } } };
  const done = job.summary.kind === "benchmark" ? 0 : job.summary.epochs_done;
  const answers = new Answers()
    .of(curveQuery(job.id, false), { points: [aPoint()], steps_per_point: 1, attempts: [], epochs: [] })
    .of(bucketsQuery(job.id, false), someTensorSums())
    .of(tensorQuery(job.id, false), aTensorCost())
    .of(newestEpochsQuery(job.id, done), []);
  const page = await drawn(<TrainingResults job={divided} />, `/jobs/${job.id}?view=table`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain("A step of the divided layers"));
  expect(page.textContent).toContain("Dividing the layers does not pay here.");
  expect(page.textContent).not.toContain("The newest step from inside");
});
