// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../../api/client";
import type { NodeView } from "../../../api/types";
import { jobQuery } from "../../../data/job";
import { linksQuery } from "../../../data/nodes";
import { meQuery } from "../../../data/server";
import { aNode, aTraining } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { LinkMatrix } from "./LinkMatrix";
import { measurable, sentence, specOf } from "./MeasureLinks";

function named(...names: string[]): NodeView[] {
  return names.map((name, id) => aNode({ id, name, address: name, slots_total: 2 }));
}

it("takes no node that is drained, lost, without slots or unable, and no second one at an address", () => {
  const [a, b, c] = named("a", "b", "c") as [NodeView, NodeView, NodeView];
  const unable = { ...c, inventory: { ...c.inventory, lacks: [{ kinds: ["benchmark"], sentence: "no MPI" }] } } as NodeView;
  const others: NodeView[] = [{ ...b, desired: "drain" }, { ...b, observed: "lost" }, { ...b, slots_total: 0 }, { ...b, address: "a" }, unable];
  for (const other of others) expect(measurable([a, other])).toEqual(["a"]);
  const here = (node: NodeView, hostname: string): NodeView => ({ ...node, address: "127.0.0.1", inventory: { ...node.inventory, only_here: true, hostname } });
  expect(measurable([here(a, "h1"), here(b, "h2")])).toEqual(["a", "b"]);
});

it("says what a press does, or why it can do nothing", () => {
  expect(sentence(4, 0)).toBe("This submits one job with one rank on each of 4 nodes. It measures 6 links in both directions, in 3 rounds. It waits until nothing else runs on these nodes.");
  expect(sentence(5, 0)).toContain("10 links in both directions, in 5 rounds");
  expect(sentence(1, 1)).toBe(
    "A link needs two nodes that are ready and have different addresses, and there are fewer. 1 node that is drained, lost, unable to run benchmarks or at the address of another node is left out.",
  );
});

it("submits one diagnosis of all pairs, after an error with the same key, and follows it", async () => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  let count = 0;
  const post = vi.spyOn(api, "POST").mockImplementation((() => {
    count += 1;
    if (count === 1) return Promise.reject(new Error("The server could not be reached."));
    return Promise.resolve({ data: { id: 41 }, response: new Response() });
  }) as never);
  const job = { ...aTraining(), id: 41, kind: "diagnosis" as const, state: "succeeded" as const };
  const answers = new Answers().of(linksQuery, []).of(jobQuery(41), job).of(meQuery, { name: "ada", role: "operator", command: null } as never);
  const page = await drawn(<LinkMatrix nodes={named("a", "b", "c")} />, "/nodes", answers);
  const press = (words: string) => act(async () => [...page.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith(words))?.click());
  await press("Measure all links");
  expect(page.querySelector("dialog pre")?.textContent).toMatch(/^ringscope links --nodes a,b,c/);
  await press("Measure 3 links");
  await act(() => vi.waitFor(() => expect(page.querySelector("[role=alert]")?.textContent).toContain("The job was not submitted. The server could not be reached.")));
  await press("Measure 3 links");
  await act(() => vi.waitFor(() => expect(page.querySelector("[role=status]")?.textContent).toBe("The job\u00a041 has measured the links.")));
  const sent = (post.mock.calls as unknown as [string, unknown][]).map(([, options]) => options as { params: unknown; body: unknown });
  expect(sent).toHaveLength(2);
  expect(sent[0]).toEqual(sent[1]);
  expect(sent[0]?.body).toEqual(specOf(["a", "b", "c"]));
  post.mockRestore();
});

it("offers a viewer the command alone", async () => {
  const answers = new Answers().of(linksQuery, []).of(meQuery, { name: "eve", role: "viewer", command: null } as never);
  const page = await drawn(<LinkMatrix nodes={named("a", "b")} />, "/nodes", answers);
  expect(page.textContent).not.toContain("Measure all links");
  expect(page.querySelector("pre")?.textContent).toMatch(/^ringscope links/);
});
