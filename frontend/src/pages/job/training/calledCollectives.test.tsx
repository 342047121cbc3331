// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { collectivesQuery } from "../../../data/insides";
import { bucketsQuery, curveQuery, newestEpochsQuery } from "../../../data/training";
import { aScript } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { aPoint, someCollectives } from "../../../testing/resultFixtures";
import { NoRows } from "../NoRows";
import { CollectivesTable } from "./CalledCollectives";
import { TrainingResults } from "./TrainingResults";

vi.mock("uplot", () => ({ default: vi.fn() }));

const text = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

it("has calls, bytes, time and bandwidth of each collective, and says which time is not known", () => {
  const table = text(renderToStaticMarkup(<CollectivesTable lines={someCollectives().items} ranks={2} />));
  expect(table).toContain(" all_reduce of DDP 4 MiB 128 512 MiB 2.10 2.00 ");
  expect(table).toContain(" all_gather 96 B 4 384 B not known – ");
  expect(table).toContain(" barrier – 2 – 0.400 – ");
  expect(table).not.toContain("Called by");
});

it("says how many ranks called what only some have called", () => {
  const table = text(renderToStaticMarkup(<CollectivesTable lines={someCollectives().items} ranks={4} />));
  expect(table).toContain(" Called by ");
  expect(table).toContain(" 2.10 2.00 2 ranks ");
});

it("is on the page of a script between the curve and the rest", async () => {
  const job = aScript();
  const answers = new Answers()
    .of(curveQuery(job.id, false), { points: [aPoint()], steps_per_point: 1, attempts: [], epochs: [] })
    .of(bucketsQuery(job.id, false), [])
    .of(newestEpochsQuery(job.id, 0), [])
    .of(collectivesQuery(job.id, false), someCollectives());
  const page = await drawn(<TrainingResults job={job} />, `/jobs/${job.id}?view=table`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain("all_reduce of DDP"));
  const sections = [...page.querySelectorAll("section")].map((section) => section.getAttribute("aria-labelledby"));
  expect(sections).toEqual(["curve", "collectives"]);
});

it("is also there where a script ended without a step", async () => {
  const job = aScript({ state: "succeeded", progress: { done: 0, total: null } });
  const answers = new Answers().of(collectivesQuery(job.id, true), someCollectives());
  const page = await drawn(<NoRows job={job} />, `/jobs/${job.id}`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain("all_reduce of DDP"));
  expect(page.textContent).toContain("No step was seen");
});
