// @vitest-environment jsdom
import { expect, it } from "vitest";
import { jobsQuery } from "../../data/jobs";
import { nodesQuery, seenNow } from "../../data/nodes";
import { aNode } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { NodeHistory } from "./NodeHistory";
import { NodePage } from "./NodePage";

const known = (): Answers => new Answers().of(nodesQuery, [seenNow(aNode({ slots_total: 2 }))]);
const command = (page: HTMLElement): string | null | undefined => page.querySelector("pre")?.textContent;

it("lists the nodes in a terminal where none has the name", async () => {
  const page = await drawn(<NodePage />, "/nodes/n9", known());
  expect(page.querySelector("h1")?.textContent).toBe("There is no node named n9");
  expect(command(page)).toMatch(/^ringscope nodes --url http/);
});

it("has a job to submit, of no more ranks than there are slots, where none has run", async () => {
  const none = known().of(jobsQuery({ node: "n1" }), { pages: [{ items: [], next: null }], pageParams: [null] });
  expect(command(await drawn(<NodeHistory name="n1" />, "/nodes/n1", none))).toMatch(/^ringscope submit --ranks 2 --wait --url http/);
});
