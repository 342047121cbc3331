// @vitest-environment jsdom
import { expect, it, vi } from "vitest";
import type { SearchCandidate, StrategySearch } from "../../api/types";
import { strategySearchQuery } from "../../data/strategySearch";
import { jobQuery } from "../../data/job";
import { aTraining, searchChoices } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { ComparePage } from "./ComparePage";
import { comparedCsv, comparedMarkdown, searchAnswer, searchDelta } from "./compareSearches";

vi.mock("uplot", () => ({ default: vi.fn() }));

function line(name: string, rate: number | null, more: Partial<SearchCandidate> = {}): SearchCandidate {
  const range = rate === null ? {} : { samples_per_second: rate, samples_per_second_low: 0.99 * rate, samples_per_second_high: 1.01 * rate };
  return { name, state: "unbeaten", reason: "", runs: 3, is_exact: true, ...range, ...more } as SearchCandidate;
}

const job = (id: number) => aTraining({ id, kind: "strategy_search", state: "succeeded", spec: searchChoices().defaults, name: `search ${id}` });

function found(winner: string | null, ...candidates: SearchCandidate[]): StrategySearch {
  return { winner, sentence: "", candidates, runs: 6, spent_seconds: 9, budget_seconds: 300, is_complete: true, running: null } as StrategySearch;
}

const base = { job: job(7), found: found("mirrored-ring", line("mirrored-ring", 1000), line("torch_ddp", 800), line("pipeline", null, { state: "left_out" })) };
const other = { job: job(9), found: found(null, line("mirrored-ring", 1010), line("torch_ddp", 1200), line("local_sgd", 500)) };

it("compares a candidate by the intervals of both rates", () => {
  const faster = searchDelta(line("a", 1200), line("a", 800));
  expect(faster?.mark).toBe("faster");
  expect(faster?.ratio).toBeCloseTo(2 / 3, 3);
  // Each half-width is 1 % of the logarithm, so the difference has a half-width of 1.41 %.
  expect(Math.log(faster?.high ?? 1) - Math.log(faster?.ratio ?? 1)).toBeCloseTo(Math.SQRT2 * 0.01, 4);
  expect(searchDelta(line("a", 1010), line("a", 1000))?.mark).toBe("unclear");
  expect(searchDelta(line("a", 700), line("a", 800))?.mark).toBe("slower");
  expect(searchDelta(line("a", null), line("a", 800))).toBeNull();
  const once = { samples_per_second_low: null, samples_per_second_high: null };
  expect(searchDelta(line("a", 700, once), line("a", 800))).toMatchObject({ low: null, mark: "unclear" });
});

it("answers in one sentence: who wins in which job, and how many candidates are faster", () => {
  expect(searchAnswer(other, base)).toBe(
    "mirrored-ring wins in job 7, and job 9 has no clear winner; of 2 candidates that ran in both, job 9 trains 1 clearly faster and 0 clearly slower than job 7.",
  );
  expect(searchAnswer({ ...other, found: base.found }, base)).toBe(
    "mirrored-ring wins in job 7 and in job 9; of 2 candidates that ran in both, none is clearly faster or slower in job 9 than in job 7.",
  );
  expect(searchAnswer({ ...other, found: found(null) }, { ...base, found: other.found })).toBe("Neither job 7 nor job 9 has a clear winner; no candidate ran in both.");
});

it("is copied as Markdown and as CSV", () => {
  expect(comparedMarkdown([base, other], base, "http://h/compare").split("\n").slice(3)).toEqual([
    "| candidate | job 7, samples/s | job 9, samples/s | job 9 against job 7 |",
    "|---|---|---|---|",
    "| mirrored-ring | 1,000 (990 to 1,010) | 1,010 (1,000 to 1,020) | 0.99 % faster (2.38 % faster to 0.42 % slower) |",
    "| torch_ddp | 800 (792 to 808) | 1,200 (1,188 to 1,212) | 33.3 % faster (34.3 % faster to 32.4 % faster) |",
    "| local_sgd | – | 500 (495 to 505) | – |",
    "",
  ]);
  const lines = comparedCsv([base, other], base).trim().split("\r\n");
  expect(lines).toHaveLength(6);
  expect(lines[1]).toBe("measured,,mirrored-ring,7,unbeaten,1000,990,1010,7,,,");
});

it("shows the searches side by side, with the command that compares them", async () => {
  const answers = new Answers();
  for (const item of [base, other]) {
    answers.of(jobQuery(item.job.id), item.job).of(strategySearchQuery(item.job.id, item.job.progress.done, true), item.found);
  }
  const page = await drawn(<ComparePage />, "/compare?ids=7,9", answers);
  expect(page.querySelector("h1")?.textContent).toBe("Compare strategy searches");
  expect(page.querySelector("[role=status] p")?.textContent).toBe(searchAnswer(other, base));
  const rows = [...page.querySelectorAll("[aria-labelledby=candidates] tbody tr")].map((row) => row.textContent);
  expect(rows[0]).toContain("mirrored-ring1,000 (990 to 1,010) winner");
  expect(rows[1]).toContain("▲clearly faster: 33.3 % faster");
  expect([...page.querySelectorAll("[popover] code")].map(({ textContent }) => textContent)).toContain("ringscope diff 7 9");
});
