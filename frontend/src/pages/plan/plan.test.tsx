// @vitest-environment jsdom
import { act, useEffect, useState } from "react";
import { expect, it, vi } from "vitest";
import { planQuery } from "../../data/planning";
import { measurementsQuery } from "../../data/results";
import { engineQuery } from "../../data/server";
import { anEngine } from "../../testing/fixtures";
import { aRow } from "../../testing/resultFixtures";
import { planForm, planQuestion } from "../../lib/form/planForm";
import { Answers, drawn } from "../../testing/page";
import { FitPanel } from "./FitPanel";
import { PlanFields } from "./PlanFields";
import { PlanPage } from "./PlanPage";
import { PriceCharts } from "./PriceCharts";

vi.mock("./PriceChart", () => ({ PriceChart: () => null }));

const form = planForm({});
const price = { algorithm: "ring", time_s: 1, busbw_gb_per_s: 1, algbw_gb_per_s: 1, source: "closed form", is_bound: false, is_whole: true };
const cell = { shape: "8", ranks: 8, size_bytes: 1024, limit_gb_per_s: 25, fastest: "ring", results: [price] };
const prices = { cells: [cell], bandwidth_bytes_per_s: 1, latency_s: 1 } as never;
const known = (): Answers => new Answers().of(engineQuery, anEngine()).of(planQuery(planQuestion(form, [])), prices);
const charts = <PriceCharts form={form} parameters={[]} jobId="7" metric="time" isTable onChange={() => undefined} />;

it("says that nothing was measured only once that is known", async () => {
  const none = "Job 7 has measured none of these algorithms";
  const pending = (await drawn(charts, "/plan")).textContent;
  expect(pending).toContain("What job 7 measured is on its way.");
  const failed = (await drawn(charts, "/plan", await new Answers().failing(measurementsQuery(7, 0), "The disk is full."))).textContent;
  expect(failed).toContain("What job 7 measured could not be loaded. The disk is full.");
  for (const text of [pending, failed]) expect(text).not.toContain(none);
  expect((await drawn(charts, "/plan", new Answers().of(measurementsQuery(7, 0), [aRow()]))).textContent).toContain(none);
});

it("says that it does not know what can be planned", async () => {
  const page = await drawn(<PlanPage />, "/plan", await known().failing(engineQuery, "The disk is full."));
  expect(page.querySelector("[role=alert]")?.textContent).toContain("The planner’s choices could not be loaded. The disk is full.");
});

it("turns its charts into tables by a key, and says in the title that nothing was measured", async () => {
  const page = await drawn(<PlanPage />, "/plan", known());
  expect(document.title).toMatch(/^SIMULATED ring 1 s · plan/);
  const view = (): string | undefined => page.querySelector<HTMLElement>("[role=radiogroup][aria-label=View] input:checked")?.getAttribute("value") ?? undefined;
  expect(view()).toBe("chart");
  await act(async () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "t", bubbles: true })));
  expect(view()).toBe("table");
});

it("asks for the job that the address names, also after going back from it", async () => {
  const panel = (jobId: string | undefined) => <FitPanel fit={undefined} error={null} jobId={jobId} onChange={() => undefined} />;
  const { root, rerender } = await held(panel("7"));
  expect(root.querySelector("input")?.value).toBe("7");
  await rerender(panel(undefined));
  expect(root.querySelector("input")?.value).toBe("");
});

it.each([
  ["", "no time", "400"],
  ["1GB/s", "1 GB/s", "0"],
  ["1000", "1,000 GB/s", "400"],
  ["soon", undefined, undefined],
])("has a slider for how fast ranks add: %j", async (gamma, text, place) => {
  const fields = <PlanFields form={planForm({ gamma })} engine={anEngine()} problems={{}} links={undefined} isFitted={false} onChange={() => undefined} />;
  const slider = (await drawn(fields, "/plan")).querySelector<HTMLInputElement>("input[type=range][aria-label^=Adding]");
  expect([slider?.getAttribute("aria-valuetext") ?? undefined, slider?.value]).toEqual([text, place]);
});

it("writes what the slider says as a rate", async () => {
  const change = vi.fn<(values: Record<string, string | undefined>) => void>();
  const fields = <PlanFields form={planForm({ gamma: "10GB/s" })} engine={anEngine()} problems={{}} links={undefined} isFitted={false} onChange={change} />;
  const slider = (await drawn(fields, "/plan")).querySelector<HTMLInputElement>("input[type=range][aria-label^=Adding]");
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
  vi.useFakeTimers();
  await act(async () => {
    write?.call(slider, "400");
    slider?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await act(async () => vi.advanceTimersByTime(1000));
  vi.useRealTimers();
  expect(change.mock.calls).toEqual([[{ gamma: "1000GB/s" }]]);
});

/** An element that can be replaced by another one. */
async function held(first: React.ReactElement) {
  let show: (next: React.ReactElement) => void = () => undefined;
  function Holder() {
    const [shown, setShown] = useState(first);
    useEffect(() => {
      show = setShown;
    }, []);
    return shown;
  }
  const root = await drawn(<Holder />, "/plan");
  return { root, rerender: (next: React.ReactElement) => act(async () => show(next)) };
}
