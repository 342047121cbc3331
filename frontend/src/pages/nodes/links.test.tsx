// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import type { LinkView } from "../../api/types";
import { linksQuery } from "../../data/nodes";
import { aNode } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { LinkMatrix } from "./LinkMatrix";

function link(a: string, b: string, isUnstable = false): LinkView {
  return {
    nodes: [a, b], algorithm: "mpi", transport: "mpi", busbw_gb_per_s: 1, size_bytes: 1024, iterations: 20, is_unstable: isUnstable, ways: [], both_ways: true, job_id: 1, measured_at: "2026-01-01T00:00:00Z",
  };
}

it("copies of a node's links those that are shown", async () => {
  const write = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve());
  vi.stubGlobal("isSecureContext", true);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: write }, configurable: true });
  const answers = new Answers().of(linksQuery, [link("n1", "n2"), link("n2", "n3")]);
  const nodes = ["n1", "n2", "n3"].map((name, id) => aNode({ id, name }));
  const page = await drawn(<LinkMatrix nodes={nodes} only="n1" />, "/nodes/n1", answers);
  await act(async () => page.querySelector("button")?.click());
  expect(write.mock.calls[0]?.[0].trim().split("\r\n").slice(1)).toEqual(["measured,,n1,n2,1,1024,20,false,,1"]);
});

it("says of very many nodes which ones are shown", async () => {
  const nodes = Array.from({ length: 40 }, (_, id) => aNode({ id, name: `n${id}` }));
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", new Answers().of(linksQuery, [link("n1", "n2")]));
  expect(page.querySelectorAll("td")).toHaveLength(4);
  expect(page.querySelector("figcaption")?.textContent).toMatch(/1 of 780 pairs measured.*Of 40 nodes the 2 with the slowest measured links/);
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
    const titles = [...page.querySelectorAll("td a")].map((cell) => cell.getAttribute("title"));
    return [titles[0], titles.at(-1), page.querySelector("figcaption")?.textContent];
  };
  const [first, , caption] = await shown(20);
  expect(first).toContain("1 KiB, n=20, job 1");
  expect(caption).toContain("2 of 3 pairs measured, n=20 timed iterations each.");
  const [, last, unknown] = await shown(null);
  expect(last).toContain("1 KiB, job 1");
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
