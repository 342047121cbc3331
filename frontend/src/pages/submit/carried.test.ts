import { expect, it } from "vitest";
import { carriedWords } from "./carried";
import { aJob, aSimulation } from "../../testing/fixtures";

it("says what an earlier job's placement has that no form shows, and nothing of what is usual", () => {
  const { spec } = aJob();
  const with_ = (change: Partial<typeof spec.placement>) => carriedWords({ ...spec, placement: { ...spec.placement, ...change } });
  expect([with_({}), with_({ nodes: 2, selector: { rack: "3" } })]).toEqual([null, null]);
  expect(with_({ node_names: ["n1", "n5"] })).toBe("only on n1, n5");
  expect(with_({ exclusive: false, same_rack: true, gpu_model: "H200" })).toBe(
    "other jobs may run on its nodes, all nodes in one rack, GPUs named H200",
  );
  expect(with_({ arrangement: "spread", min_gpu_memory_bytes: 2 ** 36, min_memory_bytes: 2 ** 34 })).toBe(
    "spread over as many nodes as possible, 64 GiB in each GPU at least, 16 GiB in each node at least",
  );
  const simulation = aSimulation();
  expect(carriedWords({ ...simulation, placement: { ...simulation.placement, exclusive: false } })).toBeNull();
  expect(carriedWords(simulation)).toBe("no other job on its nodes");
});
