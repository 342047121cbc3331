// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import type { JobView, SearchCandidate, StrategySearch } from "../../../api/types";
import { searchLanes } from "../../../charts/searchLanes";
import { strategySearchQuery } from "../../../data/strategySearch";
import { outcome, workTitle } from "../../../lib/state";
import { aTraining, PLAIN_TRAINING } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { hasSteps, JobTab } from "../JobTab";
import { searchCaption } from "./Search";
import { searchMarkdown } from "./searchCopies";
import { equalText, SearchTable, sentText, timesText } from "./SearchTable";

vi.mock("uplot", () => ({ default: vi.fn() }));

const text = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

function line(name: string, change: Partial<SearchCandidate> = {}): SearchCandidate {
  const times = { samples_per_second: 64_000, step_us: 1000, compute_us: 600, input_us: 100, exposed_us: 300, exchanged_bytes: 1024 };
  return { name, state: "unbeaten", reason: "", round: null, runs: 3, peak_bytes: null, is_exact: true, ...times, ...change } as SearchCandidate;
}

const SLOWER = line("torch_ddp", {
  state: "slower",
  reason: "It takes 1.50 times as long as mirrored.",
  step_us: 2000,
  times_as_long: 1.5,
  times_as_long_low: 1.4,
  times_as_long_high: 1.6,
});
const LEFT_OUT = line("pipeline", { state: "left_out", reason: "Too few layers.", runs: 0, step_us: null, samples_per_second: null });

function aSearch(change: Partial<StrategySearch> = {}): StrategySearch {
  const told = { winner: null, sentence: "", runs: 6, spent_seconds: 12, budget_seconds: 300, is_complete: false, running: null };
  return { ...told, candidates: [line("mirrored"), SLOWER, LEFT_OUT], ...change };
}

function aSearchJob(): JobView {
  const job = aTraining();
  const { model, dataset } = PLAIN_TRAINING;
  const search = { model, dataset, strategies: ["all"], budget_seconds: 300 } as NonNullable<JobView["spec"]["strategy_search"]>;
  return { ...job, kind: "strategy_search", spec: { ...job.spec, kind: "strategy_search", training: null, strategy_search: search } };
}

it("draws a lane for each candidate that ran, in which the parts of its step follow each other", () => {
  const { lanes } = searchLanes(aSearch().candidates, 900);
  expect(lanes.map(({ name }) => name)).toEqual(["mirrored", "torch_ddp"]);
  const bars = lanes[0]?.bars ?? [];
  expect(bars.map(({ part }) => part)).toEqual(["compute", "input", "exposed"]);
  expect(bars[1]?.startPx).toBe(bars[0]?.endPx);
  const [compute = 0, , exposed = 0] = bars.map(({ startPx, endPx }) => endPx - startPx);
  expect(exposed).toBeCloseTo(compute / 2);
});

it("has a row for each candidate, with the reason why one left or cannot run", () => {
  const table = text(renderToStaticMarkup(<SearchTable candidates={aSearch().candidates} />));
  expect(table).toContain("torch_ddp slower");
  expect(table).toContain("1.50 (1.40 to 1.60)");
  expect(table).toContain("pipeline left out");
  expect(table).toContain("Too few layers.");
  expect(timesText(line("mirrored", { times_as_long: 1, times_as_long_low: 1, times_as_long_high: 1 }))).toBe("1.00");
});

it("has what a rank sends as counted, and what the model expected of the sums", () => {
  const counted = line("mirrored", { same_bits: false, difference: 3e-8, sent_bytes: 3 << 20, most_sent_bytes: 3 << 20, communication_us: 1500 });
  const table = text(renderToStaticMarkup(<SearchTable candidates={[counted]} expected={new Map([["mirrored", 1200]])} />));
  expect(table).toContain("1.50 1.20 1 KiB 3 MiB differs by 3e-8");
  expect(equalText(line("mirrored", { same_bits: true, difference: 0 }))).toBe("same bits");
  expect(sentText(line("parameter_server-sync", { sent_bytes: 2 << 20, most_sent_bytes: 6 << 20 }))).toBe("2 MiB, at most 6 MiB");
  expect(sentText(line("tf_mirrored"))).toBe("–");
});

it("is copied as Markdown, with the candidates that could not run", () => {
  const markdown = searchMarkdown({ ...aSearchJob(), id: 7, name: "which" }, aSearch({ sentence: "No clear winner." }), "http://h/jobs/7");
  expect(markdown.split("\n")).toEqual([
    "**[Job 7, which](http://h/jobs/7)**: No clear winner.",
    "",
    "| candidate | state | samples/s | times as long | computing | sums |",
    "|---|---|---|---|---|---|",
    "| mirrored | unbeaten | 64,000 | – | 60.0 % | 30.0 % |",
    "| torch_ddp | slower | 64,000 | 1.50 (1.40 to 1.60) | 30.0 % | 15.0 % |",
    "- pipeline was left out: Too few layers.",
    "",
  ]);
});

it("says what runs, and after the end how much was run", () => {
  const running = aSearch({ running: { name: "mirrored", round: 1 } });
  expect(searchCaption(running, false)).toMatch(/^mirrored runs in round 2; 1 candidate left/);
  expect(searchCaption(aSearch(), true)).toMatch(/after 6 runs in/);
});

it("is on the page of a search, whose result is its sentence", async () => {
  const job = aSearchJob();
  const answers = new Answers().of(strategySearchQuery(job.id, job.progress.done, false), aSearch());
  const page = await drawn(<JobTab job={job} tab="results" rows={undefined} isFailed={false} />, `/jobs/${job.id}?inside=table`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain("Candidates"));
  expect(page.textContent).not.toContain("Every step of every rank");
  expect(hasSteps(aTraining())).toBe(true);
  expect(page.textContent).toContain("Too few layers.");
  expect(page.textContent).not.toContain("Epochs");
  const verdict = "mirrored is the fastest.";
  expect(outcome({ ...job, summary: { ...job.summary, verdict } as JobView["summary"] })).toBe(verdict);
  expect(workTitle(job)).toBe("strategies for mlp on digits");
});
