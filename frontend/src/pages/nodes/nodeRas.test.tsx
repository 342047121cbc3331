// @vitest-environment jsdom
import { expect, it } from "vitest";
import { nodeRasQuery } from "../../data/nodes";
import { Answers, drawn } from "../../testing/page";
import { NodeRas } from "./NodeRas";

const STATE = { address: "localhost:28028", age_seconds: 4, error: null, answer: "Rank 1 does not answer.", nccl_version: "2.28", communicators: 1, is_repaired: true, remarks: [] };

async function shown(state: object | null): Promise<string> {
  const page = await drawn(<NodeRas name="n1" address="localhost:28028" />, "/nodes/n1", new Answers().of(nodeRasQuery("n1"), state as never));
  return page.textContent;
}

it("shows the minority of ranks that NCCL's RAS names", async () => {
  const text = await shown(STATE);
  expect(text).toContain("Rank 1 does not answer.");
  expect(text).toContain("1 communicator, NCCL 2.28, asked 4 s ago. The JSON missed commas");
});

it("shows why there is no answer", async () => {
  expect(await shown({ ...STATE, error: "No NCCL job answers at localhost:28028 (refused)." })).toContain("No NCCL job answers");
  expect(await shown(null)).toContain("The agent has told this server nothing yet.");
});
