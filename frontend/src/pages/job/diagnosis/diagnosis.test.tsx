// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../../api/client";
import type { DiagnosisView } from "../../../api/types";
import { nodesQuery, seenNow } from "../../../data/nodes";
import { meQuery } from "../../../data/server";
import { aDiagnosisJob, aNode } from "../../../testing/fixtures";
import { aRackLink } from "../../../testing/resultFixtures";
import { Answers, drawn } from "../../../testing/page";
import { TrainingResults } from "../training/TrainingResults";
import { linkHistoryQuery } from "../../../components/links/linkHistoryQuery";
import { rackLinksQuery, slowestLinksQuery } from "../../../components/links/manyLinksQuery";
import { diagnosisQuery } from "./diagnosisQuery";
import { linksOf, type PairView, unitOf, waysOf } from "./ways";

/** The part of the page with the diagnosis loads when it is first drawn. */
const LOADING = { timeout: 10_000 };

vi.mock("uplot", () => ({ default: vi.fn() }));

const rate = (middle: number) => ({ low: 0.99 * middle, high: 1.01 * middle, spread: 0.01, messages: 12 });

function pair(nodes: string[], there: number, back = there, change: Partial<PairView> = {}): PairView {
  const told = { round: 0, ending: "measured" as const, latency_us: 80, is_loaded: false, measured_at: "2030-01-01T00:00:00Z" };
  return { nodes, there: rate(there), back: rate(back), ...told, ...change };
}

const SENTENCE = "h2 reaches 50% of what others reach with h1 and h3, which are fine with others.";

function aDiagnosis(change: Partial<DiagnosisView> = {}): DiagnosisView {
  const pairs = [pair(["h1", "h2"], 12e6, 11e6), pair(["h1", "h3"], 24e6)];
  const told = { measure: "cause" as const, per: "node" as const, size_bytes: 4 << 20, both_ways: false, nodes: ["h1", "h2", "h3"], rounds: 2, sentence: "" };
  return { ...told, decided: null, blamed: [], cleared: [], sentences: [], undecided: [], pairs, ...change };
}

it("takes the newest measurement of each direction", () => {
  const at = waysOf([pair(["a", "b"], 1e6, 2e6), pair(["b", "a"], 3e6, 4e6)]);
  expect(at("a", "b")?.rate?.low).toBe(0.99 * 4e6);
  expect(at("b", "a")?.rate?.low).toBe(0.99 * 3e6);
  expect(at("a", "c")).toBeUndefined();
});

it("has the worst rail of each pair, and all rails of its link", () => {
  const rails = [pair(["a", "b"], 5e6, 5e6), pair(["a", "b"], 4e6, 1e6, { rail: 0 }), pair(["a", "b"], 3e6, 2e6, { rail: 1 })];
  const at = waysOf(rails);
  expect([at("a", "b")?.pair.rail, at("b", "a")?.pair.rail]).toEqual([1, 0]);
  expect(waysOf([...rails, pair(["a", "b"], 1, 1, { rail: 1, ending: "hung", there: null, back: null })])("b", "a")?.pair).toMatchObject({ rail: 1, ending: "hung" });
  const [link, ...others] = linksOf(7, aDiagnosis({ pairs: rails }));
  expect([others, link?.rail, link?.rails?.map(({ rail }) => rail)]).toEqual([[], 0, [0, 1]]);
});

it("names the rail in the matrix and in the evidence", async () => {
  const blamed = { kind: "node" as const, names: ["h2"], rail: 1, manner: "slow" as const, confidence: 0.998, sentence: SENTENCE };
  const pairs = [pair(["h1", "h2"], 24e6, 24e6, { rail: 0 }), pair(["h1", "h2"], 12e6, 12e6, { rail: 1 })];
  const evidence = [{ nodes: ["h1", "h2"], rail: 1, ending: "measured" as const, there: rate(12e6), back: rate(12e6) }];
  const both = [{ ...blamed, evidence }, { ...blamed, rail: 2, evidence }];
  const page = await pageOf(aDiagnosis({ per: "rail", nodes: ["h1", "h2"], decided: true, blamed: both, pairs }));
  expect([...page.querySelectorAll("button")].filter(({ textContent }) => textContent.startsWith("Drain"))).toHaveLength(1);
  const [first] = page.querySelectorAll("section[aria-labelledby=verdict] tbody tr");
  expect(first?.textContent).toContain("h2 rail 1");
  expect(first?.textContent).toContain("h1 rail 1 and h2 rail 1");
  expect(page.querySelector("section[aria-labelledby=pairs] td button")?.textContent).toBe("12.0 r1");
  expect(page.textContent).toContain("of the slowest rail, whose number");
});

it("has a unit in which the fastest rate has few digits", () => {
  expect(unitOf([pair(["a", "b"], 9e8, 12e6)]).word).toBe("MB/s");
  expect(unitOf([pair(["a", "b"], 12e6, 24e9)])).toEqual({ word: "GB/s", bytes: 1e9 });
  expect(unitOf([]).word).toBe("MB/s");
});

async function pageOf(found: DiagnosisView): Promise<HTMLElement> {
  const job = aDiagnosisJob();
  const nodes = ["h1", "h2"].map((name, id) => seenNow(aNode({ id, name })));
  const answers = new Answers().of(diagnosisQuery(job.id, job.progress.done, true), found).of(nodesQuery, nodes).of(meQuery, { name: "ada", role: "operator", command: null } as never);
  const page = await drawn(<TrainingResults job={job} />, `/jobs/${job.id}`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain("Verdict"), LOADING);
  return page;
}

it("asks before it drains a blamed node, proposes the verdict as the reason, and drains no end of a blamed link", async () => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  const post = vi.spyOn(api, "POST").mockImplementation(((_: string, { body }: { body: { reason: string } }) =>
    Promise.resolve({ data: aNode({ id: 1, name: "h2", desired: "drain", desired_reason: body.reason }), response: new Response() })) as never);
  const node = { kind: "node" as const, names: ["h2"], manner: "slow" as const, confidence: 0.998, sentence: SENTENCE, evidence: [] };
  const link = { ...node, kind: "link" as const, names: ["h1", "h3"] };
  const page = await pageOf(aDiagnosis({ decided: true, blamed: [node, link], sentences: [SENTENCE] }));
  const buttons = [...page.querySelectorAll("button")].filter(({ textContent }) => textContent.startsWith("Drain"));
  expect(buttons.map(({ textContent }) => textContent)).toEqual(["Drain h2 …"]);
  await act(async () => buttons[0]?.click());
  expect(post).not.toHaveBeenCalled();
  const dialog = page.querySelector("dialog");
  expect(dialog?.textContent).toContain("Drain node h2?");
  await act(async () => dialog?.querySelector<HTMLButtonElement>("button[type=submit]")?.click());
  const reason = `Diagnosis ${aDiagnosisJob().id}: ${SENTENCE}`;
  expect(post.mock.calls[0]?.[1]).toEqual({ params: { path: { name: "h2" } }, body: { reason } });
  await vi.waitFor(() => expect(page.querySelector("[role=status]")?.textContent).toBe(`h2 is drained: ${reason}`));
  post.mockRestore();
});

async function shown(found: DiagnosisView): Promise<string> {
  const job = aDiagnosisJob();
  const answers = new Answers().of(diagnosisQuery(job.id, job.progress.done, true), found);
  const page = await drawn(<TrainingResults job={job} />, `/jobs/${job.id}`, answers);
  await vi.waitFor(() => expect(page.textContent).toContain("Links"), LOADING);
  return page.textContent;
}

it("shows the pairs as they are measured, before there is a verdict", async () => {
  const text = await shown(aDiagnosis({ pairs: [pair(["h1", "h2"], 12e6, 11e6), { ...pair(["h1", "h3"], 1), ending: "hung", there: null, back: null }] }));
  expect(text).toContain("h112.0hung");
  expect(text).toContain("h211.0–");
  expect(text).toContain("2 measurements in 2 rounds");
  expect(text).not.toContain("Verdict");
});

it("shows the verdict with its evidence", async () => {
  const evidence = [{ nodes: ["h1", "h2"], ending: "measured" as const, there: rate(12e6), back: rate(11e6) }];
  const blamed = [{ kind: "node" as const, names: ["h2"], manner: "slow" as const, confidence: 0.998, sentence: SENTENCE, evidence }];
  const text = await shown(aDiagnosis({ decided: true, blamed, sentences: [SENTENCE, "h1 is good: it is fine with h3."] }));
  expect(text).toContain(SENTENCE);
  expect(text).toContain("h1 is good: it is fine with h3.");
  expect(text).toContain("h1 and h211.9 to 12.1");
});

async function matrixOf(nodes: string[], pairs: PairView[]): Promise<HTMLElement> {
  const job = aDiagnosisJob();
  const answers = new Answers()
    .of(diagnosisQuery(job.id, job.progress.done, true), aDiagnosis({ nodes, pairs }))
    .of(nodesQuery, nodes.map((name, id) => seenNow(aNode({ id, name }))))
    .of(linkHistoryQuery("n1", "n0"), { items: [], rails: [] });
  const page = await drawn(<TrainingResults job={job} />, `/jobs/${job.id}`, answers);
  await vi.waitFor(() => expect(page.querySelector("table")).not.toBeNull(), LOADING);
  return page;
}

const names = (count: number): string[] => Array.from({ length: count }, (_, id) => `n${id}`);

it("marks a pair that hung among many nodes, whose matrix has no figures", async () => {
  const hung = { ...pair(["n2", "n0"], 1), ending: "hung" as const, there: null, back: null };
  const page = await matrixOf(names(30), [pair(["n1", "n0"], 12e9, 24e9), hung]);
  const cells = [...page.querySelectorAll("tbody tr:first-child td")].map(({ textContent }) => textContent);
  expect(cells.slice(0, 4)).toEqual(["", "", "✕hung", "–"]);
  expect(page.querySelector("td button")?.getAttribute("aria-label")).toBe("n0 to n1: 24.0 GB/s");
});

it("asks for the racks of very many nodes, and marks pairs that hung among the nodes of two racks", async () => {
  const job = aDiagnosisJob();
  const many = { ...job, spec: { ...job.spec, placement: { ...job.spec.placement, ranks: 70 } } };
  const hung = { ...pair(["n0", "n2"], 1), ending: "hung" as const, there: null, back: null };
  const answers = new Answers()
    .of(diagnosisQuery(job.id, job.progress.done, true, true), aDiagnosis({ nodes: names(70), pairs: [hung] }))
    .of(nodesQuery, names(70).map((name, id) => seenNow(aNode({ id, name, rack: id % 2 ? "west" : "east" }))))
    .of(rackLinksQuery(job.id, false), [aRackLink(["east", "east"], 12), aRackLink(["east", "west"], 11)])
    .of(slowestLinksQuery(job.id, ["east", "east"], false), []);
  const page = await drawn(<TrainingResults job={many} />, `/jobs/${job.id}`, answers);
  await vi.waitFor(() => expect(page.querySelector("table")).not.toBeNull(), LOADING);
  expect(page.querySelector("td button")?.getAttribute("aria-label")).toBe("within east: 4 of 6 links measured, the slowest 12.0 GB/s");
  await act(async () => page.querySelector<HTMLElement>("td button")?.click());
  const cells = [...page.querySelectorAll("tbody tr:first-child td")].map(({ textContent }) => textContent);
  expect(cells.slice(0, 3)).toEqual(["", "✕hung", "–"]);
});

it("opens the earlier measurements of a link from its cell", async () => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  const page = await matrixOf(names(2), [pair(["n1", "n0"], 12e6, 24e6)]);
  await act(async () => page.querySelectorAll<HTMLElement>("td button")[1]?.click());
  await act(() => vi.waitFor(() => expect(page.querySelector("dialog[aria-labelledby] h2 ~ *")).not.toBeNull()));
  expect([...page.querySelectorAll("dialog h2")].map(({ textContent }) => textContent)).toContain("Link between n1 and n0");
});
