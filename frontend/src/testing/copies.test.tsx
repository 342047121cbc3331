// @vitest-environment jsdom
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { fitQuery, planQuery, sensitivityQuery } from "../data/planning";
import { jobQuery } from "../data/job";
import { aRingOfThree } from "./exampleFixture";
import { aJob, anAttempt, aSimulation } from "./fixtures";
import { aRow } from "./resultFixtures";
import { basisOf } from "../lib/sweep/caveats";
import { SIMULATED } from "../lib/csv";
import { runOf } from "../lib/moves";
import { planForm, planQuestion, sensitivityQuestion } from "../lib/form/planForm";
import { curveSizes, mapShapes, mapSizes } from "../lib/planGrid";
import { parseSize } from "../lib/size";
import { Latency } from "../pages/job/latency/Latency";
import { JobHeader } from "../pages/job/header/JobHeader";
import { FitPanel } from "../pages/plan/FitPanel";
import { PriceCharts } from "../pages/plan/PriceCharts";
import { SensitivityTable } from "../pages/plan/SensitivityTable";
import { WinnerMap } from "../pages/plan/WinnerMap";
import { Lanes } from "../pages/ring/Lanes";
import { Answers, drawn } from "./page";

vi.mock("uplot", () => ({ default: vi.fn() }));

const write = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve());

beforeEach(() => {
  write.mockClear();
  vi.stubGlobal("isSecureContext", true);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: write }, configurable: true });
});

/** The first two cells of each line that the button copies. */
async function copied(page: HTMLElement): Promise<string[]> {
  const buttons = [...page.querySelectorAll("button")].filter(({ textContent }) => /^Copy .*CSV$/.test(textContent));
  expect(buttons).toHaveLength(1);
  await act(async () => buttons[0]?.click());
  // The code of some formats loads when one is asked for.
  await act(() => vi.waitFor(() => expect(write).toHaveBeenCalled()));
  const lines = write.mock.calls[0]?.[0].trim().split("\r\n") ?? [];
  expect(lines.length).toBeGreaterThan(1);
  return lines.map((line) => line.split(",").slice(0, 2).join(","));
}

const simulation = aJob({ id: 7, state: "succeeded", spec: aSimulation() });
const disturbed = aJob({ id: 7, state: "succeeded", attempts: [anAttempt({ disturbed_by: "It was shared." })] });
const rows = [aRow()];
const form = planForm({});
const price = { algorithm: "ring", time_s: 1, busbw_gb_per_s: 1, algbw_gb_per_s: 1, source: "closed form", is_bound: false, is_whole: true } as never;
const cell = { shape: "8", ranks: 8, size_bytes: 1024, limit_gb_per_s: 25, fastest: "ring", results: [price] };
const size = parseSize(form.S) ?? 1;
const question = planQuestion(form, []);
const prices = { cells: [cell], bandwidth_bytes_per_s: 1, latency_s: 1 } as never;
const fit = {
  caveats: [], job_id: 7, left_out: [], median_error: 0.1, nics_per_node: null, r_squared: 0.9, ranks: 4, ranks_per_node: 4, regimes: [], row_count: 1, transport: "simulated", version: 1,
  residuals: [{ algorithm: "ring", collective: "all_reduce", log_ratio: 0.1, measured_us: 1, model_us: 1, ranks: 4, size_bytes: 1024 }],
};
const planned = new Answers()
  .of(planQuery({ ...question, sizes_bytes: curveSizes(size) }), prices)
  .of(planQuery({ ...question, sizes_bytes: mapSizes(size), shapes: mapShapes(form.n) }), prices)
  .of(sensitivityQuery(sensitivityQuestion(form, [])), {
    ranks: 8, size_bytes: 1024, items: [
      { algorithm: "ring", figure: "size", time_s: 1, changed_time_s: 1.1, change: 0.1 },
      { algorithm: "tree", figure: "size", time_s: 1, changed_time_s: 1.05, change: 0.05 },
    ],
  } as never)
  .of(fitQuery(7), fit as never)
  .of(jobQuery(7), simulation);
const run = runOf(aRingOfThree());
const nothing = (): void => undefined;

it.each([
  ["the results of a simulation", <JobHeader key="" job={simulation} rows={rows} isSimulated />, "/jobs/7?view=table"],
  ["the latencies of a simulation", <Latency key="" job={simulation} rows={rows} />, "/jobs/7?view=table"],
  ["the lanes of an example", <Lanes key="" run={run} step={0} isTable basis={SIMULATED} onView={nothing} perfetto="">Nothing.</Lanes>, "/ring"],
  ["the prices of a plan", <PriceCharts key="" form={form} parameters={[]} jobId={undefined} metric="time" isTable onChange={nothing} />, "/plan"],
  ["the fastest of a plan", <WinnerMap key="" form={form} parameters={[]} chosen={cell as never} />, "/plan"],
  ["what a plan hangs on", <SensitivityTable key="" form={form} parameters={[]} />, "/plan"],
  ["a fit to a simulation", <FitPanel key="" fit={fit as never} error={null} jobId="7" onChange={nothing} />, "/plan"],
])("says in every copied line of %s that it was simulated", async (_, element, url) => {
  const [heading, ...lines] = await copied(await drawn(element, url, planned));
  expect(heading).toBe("basis,caveats");
  expect(new Set(lines)).toEqual(new Set(["simulated,"]));
});

const shared = basisOf(disturbed).caveats.slice(0, 25);

it.each([
  ["results", <JobHeader key="" job={disturbed} rows={rows} isSimulated={false} />],
  ["latencies", <Latency key="" job={disturbed} rows={rows} />],
])("says in every copied line of the %s what else ran there", async (_, element) => {
  const [, ...lines] = await copied(await drawn(element, "/jobs/7?view=table", planned));
  for (const line of lines) expect(line).toMatch(new RegExp(`^measured,"?${shared}`));
});

it("copies all columns of a job's rows in a fixed order, with a value of each kind", async () => {
  const chosen = { algorithm: "auto", chosen_algorithm: "ring", chosen_because: 'The model says "ring", by 3 %.', cores: 4, channels: 2 };
  const old = { in_place: true, cycle: 1, wrong: null, time_low_us: null, time_high_us: null, p5_us: null };
  const page = await drawn(<JobHeader job={aJob({ id: 7, state: "succeeded" })} rows={[aRow(chosen), aRow(old)]} isSimulated={false} />, "/jobs/7?view=table");
  await copied(page);
  expect(write.mock.calls[0]?.[0].split("\r\n")).toEqual([
    "basis,caveats,collective,algorithm,chosen_algorithm,chosen_because,transport,in_place,cycle,size_bytes,count,dtype,op,ranks,cores,channels,library_function,nccl_report,lowered_max_bytes,cuda_graph_launches," +
      "iterations,time_us,time_low_us,time_high_us,device_time_us,algbw_gb_per_s,busbw_gb_per_s,wrong,min_us,mean_us,p5_us,p10_us,p50_us,p90_us,p95_us,p99_us,max_us," +
      "stdev_us,cv_percent,measured_at",
    'measured,,all_reduce,auto,ring,"The model says ""ring"", by 3 %.",shared_memory,false,0,1024,256,float32,sum,4,4,2,,,,,' +
      "20,10,9.8,10.2,,0.1,0.15,0,9,10,9.25,9.5,10,10.5,11,12,13,1,10,2026-01-01T00:00:00Z",
    "measured,,all_reduce,ring,,,shared_memory,true,1,1024,256,float32,sum,4,,,,,,,20,10,,,,0.1,0.15,,9,10,,9.5,10,10.5,11,12,13,1,10,2026-01-01T00:00:00Z",
    "",
  ]);
});
