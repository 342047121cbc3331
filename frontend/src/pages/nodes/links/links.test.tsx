// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import type { JobView, LinkView } from "../../../api/types";
import { activeJobsQuery } from "../../../data/jobs";
import { linksBetweenQuery, linksQuery, nodeLinksQuery } from "../../../data/nodes";
import { meQuery } from "../../../data/server";
import { aNode, aTraining } from "../../../testing/fixtures";
import { aRackLink } from "../../../testing/resultFixtures";
import { Answers, drawn } from "../../../testing/page";
import LinkHistory from "../../../components/links/LinkHistory";
import { linkHistoryQuery } from "../../../components/links/linkHistoryQuery";
import { rackLinksQuery, slowestLinksQuery } from "../../../components/links/manyLinksQuery";
import { LinkMatrix } from "./LinkMatrix";

function link(a: string, b: string, isUnstable = false): LinkView {
  return {
    nodes: [a, b], algorithm: "mpi", transport: "mpi", busbw_gb_per_s: 1, size_bytes: 1024, iterations: 20, is_unstable: isUnstable, ways: [], rails: [], both_ways: true, job_id: 1, measured_at: "2026-01-01T00:00:00Z",
  };
}

it("copies of a node's links those that are shown", async () => {
  const write = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve());
  vi.stubGlobal("isSecureContext", true);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: write }, configurable: true });
  const answers = new Answers().of(nodeLinksQuery("n1"), [link("n1", "n2")]);
  const nodes = ["n1", "n2", "n3"].map((name, id) => aNode({ id, name }));
  const page = await drawn(<LinkMatrix nodes={nodes} only="n1" />, "/nodes/n1", answers);
  await act(async () => page.querySelector("button")?.click());
  expect(write.mock.calls[0]?.[0].trim().split("\r\n").slice(1)).toEqual(["measured,,n1,n2,,1,1024,20,false,,1"]);
});

it("says of very many nodes which ones are shown", async () => {
  const nodes = Array.from({ length: 70 }, (_, id) => aNode({ id, name: `n${id}` }));
  const answers = new Answers().of(rackLinksQuery(null, false), [aRackLink([null, null], 1)]).of(slowestLinksQuery(null, null, false), [link("n1", "n2")]);
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", answers);
  expect(page.querySelectorAll("td")).toHaveLength(4);
  expect(page.querySelector("figcaption")?.textContent).toMatch(/4 of 2415 pairs measured.*Of 70 nodes the 2 with the slowest measured links/);
});

it("marks a link whose mean says little, and explains the mark", async () => {
  const nodes = ["n1", "n2", "n3"].map((name, id) => aNode({ id, name }));
  const shown = async (isUnstable: boolean) => {
    const links = [link("n1", "n2", isUnstable), link("n2", "n3")];
    const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", new Answers().of(linksQuery, links));
    const signs = page.querySelectorAll("td button[aria-label=unstable]");
    return [signs.length, page.querySelector("figcaption")?.textContent.includes("! marks")];
  };
  expect(await shown(true)).toEqual([2, true]);
  expect(await shown(false)).toEqual([0, false]);
});

it("says of how many iterations a link is, below the table where all are of as many", async () => {
  const nodes = ["n1", "n2", "n3"].map((name, id) => aNode({ id, name }));
  const shown = async (iterations: number | null) => {
    const links = [link("n1", "n2"), { ...link("n2", "n3"), iterations }];
    const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", new Answers().of(linksQuery, links));
    const titles = [...page.querySelectorAll("td button")].map((cell) => cell.getAttribute("title"));
    return [titles[0], titles.at(-1), page.querySelector("figcaption")?.textContent];
  };
  const [first, , caption] = await shown(20);
  expect(first).toContain("n1 to n2: 1.00 GB/s, n=20, job 1, ");
  expect(caption).toContain("2 of 3 pairs measured, n=20 timed iterations each.");
  const [, last, unknown] = await shown(null);
  expect(last).toContain("n3 to n2: 1.00 GB/s, job 1, ");
  expect(unknown).toContain("2 of 3 pairs measured. ");
});

it("comes into view where the address names the links, also if they load later", async () => {
  const scroll = vi.fn();
  HTMLElement.prototype.scrollIntoView = scroll;
  const page = await drawn(<LinkMatrix nodes={[aNode()]} />, "/nodes#links", new Answers().of(linksQuery, []));
  expect(document.activeElement).toBe(page.querySelector("h2"));
  expect(scroll).toHaveBeenCalled();
});

it("says how a second node is added where there is one", async () => {
  const page = await drawn(<LinkMatrix nodes={[aNode()]} />, "/nodes", new Answers().of(linksQuery, []));
  expect(page.querySelector("pre")?.textContent).toMatch(/^ringscope token add nodes .*\npip install .*\nringscope agent --server http/);
  expect(page.textContent).toContain("Once the second node has joined, a button here measures all links");
});

function ways(a: string, b: string, there: number, back: number): LinkView {
  const way = (source: string, destination: string, rate: number) => ({ source, destination, low_gb_per_s: 0.99 * rate, high_gb_per_s: 1.01 * rate, messages: 12 });
  return { ...link(a, b), busbw_gb_per_s: Math.min(there, back), ways: [way(a, b, there), way(b, a, back)], latency_us: 80, both_ways: false };
}

it("shows the rate of each direction in its own cell, and marks a slow one", async () => {
  const nodes = ["n1", "n2", "n3"].map((name, id) => aNode({ id, name }));
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", new Answers().of(linksQuery, [ways("n1", "n2", 2, 1), ways("n1", "n3", 2, 2)]));
  const labels = [...page.querySelectorAll("td button")].map((cell) => cell.getAttribute("aria-label"));
  expect(labels).toEqual(["n1 to n2: 2.00 GB/s", "n1 to n3: 2.00 GB/s", "n2 to n1: 1.00 GB/s, slow", "n3 to n1: 2.00 GB/s"]);
  expect(page.querySelector("figcaption")?.textContent).toContain("1 direction slow; 2 of 3 pairs measured");
});

it("opens the history of a link from its cell", async () => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  const nodes = ["n1", "n2"].map((name, id) => aNode({ id, name }));
  const answers = new Answers().of(linksQuery, [ways("n1", "n2", 2, 1)]).of(linkHistoryQuery("n2", "n1"), { items: [ways("n1", "n2", 2, 1), { ...ways("n1", "n2", 3, 4), job_id: 8 }], rails: [] });
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", answers);
  await act(async () => page.querySelectorAll<HTMLElement>("td button")[1]?.click());
  await act(() => vi.waitFor(() => expect(page.querySelectorAll("dialog tbody tr")).toHaveLength(2)));
  const dialog = [...page.querySelectorAll("dialog")].at(-1);
  expect(dialog?.querySelector("h2")?.textContent).toBe("Link between n2 and n1");
  expect(dialog?.querySelector("tbody tr:last-child")?.textContent).toContain("3.96 to 4.042.97 to 3.0380.0");
  expect(dialog?.querySelectorAll("svg circle")).toHaveLength(4);
});

it("names the slowest rail of a pair in its cell, and lists all rails, each with its own history", async () => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  const nodes = ["n1", "n2"].map((name, id) => aNode({ id, name }));
  const rail = (number: number, rate: number) => ({ ...ways("n1", "n2", rate, rate), rail: number, latency_us: 80 });
  const newest: LinkView = { ...rail(1, 2), rails: [rail(0, 4), rail(1, 2)] };
  const answers = new Answers().of(linksQuery, [newest]).of(linksBetweenQuery(["n1", "n2"]), [newest])
    .of(linkHistoryQuery("n1", "n2", 1), { items: [rail(1, 2), { ...rail(1, 3), job_id: 8 }], rails: [0, 1] })
    .of(linkHistoryQuery("n1", "n2"), { items: [], rails: [0, 1] });
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", answers);
  const cell = page.querySelector<HTMLElement>("td button");
  expect([cell?.textContent, cell?.getAttribute("aria-label")]).toEqual(["2.00 r1", "n1 to n2: 2.00 GB/s, rail 1"]);
  expect(cell?.title).toContain("n1 to n2, rail 1, the slowest of 2: 2.00 GB/s");
  await act(async () => cell?.click());
  await act(() => vi.waitFor(() => expect(page.querySelectorAll("dialog tbody tr")).toHaveLength(5)));
  const choices = [...page.querySelectorAll<HTMLElement>("dialog tbody button")];
  expect(choices.map((each) => [each.textContent, each.getAttribute("aria-pressed")])).toEqual([["nodes as wholes", "false"], ["rail 0", "false"], ["rail 1", "true"]]);
  expect(choices[1]?.closest("tr")?.textContent).toContain("3.96 to 4.04");
  await act(async () => choices[0]?.click());
  await act(() => vi.waitFor(() => expect(page.querySelector("dialog")?.textContent).toContain("The nodes have not been measured as wholes")));
});

it("says so of a link without measurements", async () => {
  const page = await drawn(<LinkHistory a="n1" b="n2" />, "/nodes", new Answers().of(linkHistoryQuery("n1", "n2"), { items: [], rails: [] }));
  expect(page.textContent).toContain("This link has not been measured");
});

it("says how far a job that measures links is, whoever submitted it", async () => {
  const job = aTraining();
  const running: JobView = { ...job, id: 7, kind: "diagnosis", state: "running", progress: { ...job.progress, done: 3 } };
  const nodes = ["n1", "n2"].map((name, id) => aNode({ id, name }));
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", new Answers().of(linksQuery, []).of(activeJobsQuery, [running]));
  expect(page.querySelector("[role=status]")?.textContent).toBe("The job\u00a07 measures links: 3 measurements so far.");
  expect(page.textContent).not.toContain("No link has been measured");
  const failed = new Answers().of(meQuery, { role: "operator" } as never).of(linksQuery, []).of(activeJobsQuery, [{ ...running, state: "failed" }]);
  const none = (await drawn(<LinkMatrix nodes={nodes} />, "/nodes", failed)).textContent;
  expect(none).toContain("No link has been measured alone");
  expect(none).toContain("Measure all links");
});

it("leads with the arrow keys from cell to cell, across those without a link", async () => {
  const nodes = ["n1", "n2", "n3"].map((name, id) => aNode({ id, name }));
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", new Answers().of(linksQuery, [link("n1", "n2"), link("n2", "n3")]));
  const [, second, third] = page.querySelectorAll<HTMLElement>("td button");
  second?.focus();
  second?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  expect(document.activeElement).toBe(third);
});

it("shows racks before the nodes of very many, and then the nodes of two racks", async () => {
  const nodes = Array.from({ length: 70 }, (_, id) => aNode({ id, name: `n${id}`, rack: id < 40 ? "east" : "west" }));
  const racks = [aRackLink(["east", "east"], 1, { measured: 1, pairs: 780 }), aRackLink(["east", "west"], 3, { measured: 2, pairs: 1200 }), aRackLink(["west", "west"], 3)];
  const answers = new Answers().of(rackLinksQuery(null, false), racks).of(slowestLinksQuery(null, ["east", "east"], false), [ways("n1", "n2", 2, 1)]);
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", answers);
  const labels = [...page.querySelectorAll("td button")].map((cell) => cell.getAttribute("aria-label"));
  expect(labels[0]).toBe("within east: 1 of 780 links measured, the slowest 1.00 GB/s, slow");
  expect(labels[1]).toBe("between east and west: 2 of 1,200 links measured, the slowest 3.00 GB/s");
  expect(page.querySelector("figcaption")?.textContent).toContain("7 links are measured, the slowest from n1 to n2 with 0.990 to 1.01 GB/s");
  await act(async () => page.querySelector<HTMLElement>("td button")?.click());
  expect(page.querySelectorAll("tbody tr")).toHaveLength(40);
  expect(page.textContent).toContain("Nodes of rack east.");
  expect(page.querySelector("figcaption")?.textContent).toContain("1 of 780 pairs measured");
});
