// @vitest-environment jsdom
import { act, useState } from "react";
import { expect, it } from "vitest";
import { nodesQuery, seenNow } from "../../data/nodes";
import { aNode } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { NodeChoice } from "./NodeChoice";

const slot = { slot: 0, job_id: null, rank: null, quarantine: null };
const node = aNode({ slots_total: 2, slots_free: 1, slots: [slot, { ...slot, slot: 1, job_id: 7, rank: 0 }], labels: { rack: "3", team: "a, b" } });

function Field() {
  const [selector, setSelector] = useState("zone=a");
  return (
    <>
      <output>{selector}</output>
      <NodeChoice selector={selector} onChange={setSelector} />
    </>
  );
}

it("puts a node's label into the field and takes it out again", async () => {
  const page = await drawn(<Field />, "/jobs", new Answers().of(nodesQuery, [seenNow(node)]));
  expect(page.querySelector("li")?.textContent).toBe("n1ready1 of 2 slots freerack=3team=a, b");
  const buttons = [...page.querySelectorAll("button")];
  expect(buttons.map((button) => button.textContent), "a comma cannot be typed").toEqual(["rack=3"]);
  const state = () => [page.querySelector("output")?.textContent, buttons[0]?.getAttribute("aria-pressed")];
  expect(state()).toEqual(["zone=a", "false"]);
  await act(async () => buttons[0]?.click());
  expect(state()).toEqual(["zone=a, rack=3", "true"]);
  await act(async () => buttons[0]?.click());
  expect(state()).toEqual(["zone=a", "false"]);
});

it("shows few of many nodes, and where the others are", async () => {
  const many = Array.from({ length: 10 }, (_, id) => seenNow(aNode({ id, name: `n${id}` })));
  const page = await drawn(<Field />, "/jobs", new Answers().of(nodesQuery, many));
  expect(page.querySelectorAll("li")).toHaveLength(9);
  expect([page.querySelector("li a")?.textContent, page.querySelector("li a")?.getAttribute("href")]).toEqual(["and 2 more", "/nodes"]);
});
