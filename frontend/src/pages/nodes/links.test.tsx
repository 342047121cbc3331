// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { linksQuery } from "../../data/nodes";
import { aNode } from "../../lib/fixtures";
import { Answers, drawn } from "../../testing/page";
import { LinkMatrix } from "./LinkMatrix";

it("copies of a node's links those that are shown", async () => {
  const write = vi.fn<(text: string) => Promise<void>>(() => Promise.resolve());
  vi.stubGlobal("isSecureContext", true);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: write }, configurable: true });
  const link = (a: string, b: string) => ({
    nodes: [a, b], algorithm: "mpi", transport: "mpi", busbw_gb_per_s: 1, size_bytes: 1024, job_id: 1, measured_at: "2026-01-01T00:00:00Z",
  });
  const answers = new Answers().of(linksQuery, [link("n1", "n2"), link("n2", "n3")] as never);
  const nodes = ["n1", "n2", "n3"].map((name, id) => aNode({ id, name }));
  const page = await drawn(<LinkMatrix nodes={nodes} only="n1" />, "/nodes/n1", answers);
  await act(async () => page.querySelector("button")?.click());
  expect(write.mock.calls[0]?.[0].trim().split("\r\n").slice(1)).toEqual(["measured,,n1,n2,1,1024,1"]);
});

it("says of very many nodes which ones are shown", async () => {
  const link = { nodes: ["n1", "n2"], algorithm: "mpi", transport: "mpi", busbw_gb_per_s: 1, size_bytes: 1024, job_id: 1, measured_at: "2026-01-01T00:00:00Z" };
  const nodes = Array.from({ length: 40 }, (_, id) => aNode({ id, name: `n${id}` }));
  const page = await drawn(<LinkMatrix nodes={nodes} />, "/nodes", new Answers().of(linksQuery, [link] as never));
  expect(page.querySelectorAll("td")).toHaveLength(4);
  expect(page.querySelector("figcaption")?.textContent).toContain("1 of 780 pairs measured. Of 40 nodes the 2 with the slowest measured links");
});
