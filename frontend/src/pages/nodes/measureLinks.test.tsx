// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../api/client";
import type { NodeView } from "../../api/types";
import { linksQuery } from "../../data/nodes";
import { meQuery } from "../../data/server";
import { aNode } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { LinkMatrix } from "./LinkMatrix";
import { sentence } from "./MeasureLinks";
import { pairsOf, pairSpec } from "./pairs";

function named(...names: string[]): NodeView[] {
  return names.map((name, id) => aNode({ id, name, address: name, slots_total: 2 }));
}

it("pairs every two nodes once, neighbours without a common node, those never measured first", () => {
  const nodes = named("a", "b", "c", "d");
  const words = pairsOf(nodes, []).map((pair) => [...pair].sort().join(""));
  expect([...words].sort()).toEqual(["ab", "ac", "ad", "bc", "bd", "cd"]);
  expect(new Set(`${words[0]}${words[1]}`).size).toBe(4);
  const measured = { nodes: words[0]?.split("") } as never;
  expect(pairsOf(nodes, [measured]).at(-1)?.slice().sort().join("")).toBe(words[0]);
  expect(pairsOf(nodes, [], "d")).toHaveLength(3);
});

it("pairs no node that is drained, lost, without slots or unable, and no two with one address", () => {
  const [a, b, c] = named("a", "b", "c") as [NodeView, NodeView, NodeView];
  const unable = { ...c, inventory: { ...c.inventory, lacks: [{ kinds: ["benchmark"], sentence: "no MPI" }] } } as NodeView;
  const others: NodeView[] = [{ ...b, desired: "drain" }, { ...b, observed: "lost" }, { ...b, slots_total: 0 }, { ...b, address: "a" }, unable];
  for (const other of others) expect(pairsOf([a, other], [])).toEqual([]);
  const here = (node: NodeView, hostname: string): NodeView => ({ ...node, address: "127.0.0.1", inventory: { ...node.inventory, only_here: true, hostname } });
  expect(pairsOf([here(a, "h1"), here(b, "h2")], [])).toHaveLength(1);
});

it("says what a press does, or why it can do nothing", () => {
  expect(sentence(3, 0)).toMatch(/^This submits 3 jobs, a sendrecv .* nothing else runs on its two nodes\.$/);
  expect(sentence(0, 1)).toBe(
    "A link needs two nodes that are ready and have different addresses, and there are fewer. 1 node that is drained, lost or unable to run benchmarks is left out.",
  );
});

it("submits each pair, goes on after an error without a second job, and links the jobs", async () => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  let count = 0;
  const post = vi.spyOn(api, "POST").mockImplementation((() => {
    count += 1;
    if (count === 2) return Promise.reject(new Error("The server could not be reached."));
    return Promise.resolve({ data: { id: 40 + count }, response: new Response() });
  }) as never);
  const answers = new Answers().of(linksQuery, []).of(meQuery, { name: "ada", role: "operator", command: null } as never);
  const page = await drawn(<LinkMatrix nodes={named("a", "b", "c")} />, "/nodes", answers);
  const press = (words: string) => act(async () => [...page.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith(words))?.click());
  await press("Measure all links");
  await press("Measure 3 links");
  await act(() => vi.waitFor(() => expect(page.querySelector("[role=alert]")?.textContent).toContain("Not all jobs were submitted. 1 of 3 are in the queue. The server could not be reached.")));
  await press("Measure 3 links");
  await act(() => vi.waitFor(() => expect(page.querySelector("[role=status]")?.textContent).toContain("3 jobs submitted: job\u00a041, job\u00a043, job\u00a044.")));
  const sent = (post.mock.calls as unknown as [string, unknown][]).map(([, options]) => options as { params: { header: Record<string, string> }; body: unknown });
  expect(sent[1]).toEqual(sent[2]);
  expect(new Set(sent.map(({ params }) => params.header["idempotency-key"])).size).toBe(3);
  expect(sent[0]?.body).toEqual(pairSpec(pairsOf(named("a", "b", "c"), [])[0] ?? ["", ""]));
  post.mockRestore();
});

it("offers a viewer the command alone", async () => {
  const answers = new Answers().of(linksQuery, []).of(meQuery, { name: "eve", role: "viewer", command: null } as never);
  const page = await drawn(<LinkMatrix nodes={named("a", "b")} />, "/nodes", answers);
  expect(page.textContent).not.toContain("Measure all links");
  expect(page.querySelector("pre")?.textContent).toMatch(/^ringscope submit --collective sendrecv/);
});
