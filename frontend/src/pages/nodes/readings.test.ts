import { describe, expect, it, test } from "vitest";
import type { NodeReadings, NodeView } from "../../api/types";
import { aNode } from "../../testing/fixtures";
import { hasUnreadGpus, nicWords, ranksBeside, trendsOf } from "./readings";

const GIB = 2 ** 30;
const gpu = (index: number) => ({ index, uuid: `GPU-${index}`, model: "H100", memory_bytes: 80 * GIB });
const node = aNode();
const withGpus = { ...node, inventory: { ...node.inventory, gpus: [gpu(0), gpu(1)] } };

function someReadings(change: Partial<NodeReadings> = {}): NodeReadings {
  const nothing = [null, null];
  return {
    node: "n1",
    age_seconds: [150, 0],
    load_average: [node.inventory.cores / 2, 2 * node.inventory.cores],
    memory_used_bytes: [0, node.inventory.memory_bytes],
    gpu_utilization_ratio: nothing,
    gpu_memory_used_bytes: nothing,
    gpu_temperature_celsius: nothing,
    ...change,
  };
}

describe("the small curves of a node", () => {
  it("are of cores and memory, the newest on the right, from 0 to all that there is", () => {
    const [load, memory] = trendsOf(node, someReadings());
    expect([load?.name, load?.points]).toEqual(["load", "0.5,0.5 1,0"]);
    expect([memory?.name, memory?.points]).toEqual(["memory", "0.5,1 1,0"]);
  });

  it("are of its GPUs where they are read, with the newest value and the highest", () => {
    const busy = { gpu_utilization_ratio: [0.97, 0.5], gpu_memory_used_bytes: [null, 40 * GIB], gpu_temperature_celsius: [61, 75] };
    expect(trendsOf(withGpus, someReadings(busy)).map(({ name, now, most, points }) => [name, now, most, points])).toEqual([
      ["GPU", "50 %", "97 %", "0.5,0.03 1,0.5"],
      ["memory", "40 GiB", "40 GiB", ""],
      ["hottest", "75.0 °C", "75.0 °C", "0.5,0.39 1,0.25"],
    ]);
  });

  it("are of cores and memory if the GPUs are not read, which the page says", () => {
    expect(trendsOf(withGpus, someReadings()).map(({ name }) => name)).toEqual(["load", "memory"]);
    expect([hasUnreadGpus(withGpus, someReadings()), hasUnreadGpus(withGpus, undefined), hasUnreadGpus(node, someReadings())]).toEqual([true, true, false]);
  });

  it("warn of a load only beyond what all ranks of the machine explain, also those of other nodes", () => {
    const { cores } = node.inventory;
    const beside = { ...node, id: 2, name: "n2", slots_busy: 2 * cores };
    const warned = (nodes: readonly NodeView[]) => trendsOf(node, someReadings(), ranksBeside(nodes).get(node.name))[0]?.warning !== undefined;
    expect([warned([node]), warned([node, beside])]).toEqual([true, false]);
  });

  it("are none for a node without readings, such as one with an earlier agent", () => {
    expect(trendsOf(node, undefined)).toEqual([]);
  });
});

test("network interfaces are counted by speed", () => {
  const nic = (name: string, speed: number | null, is_virtual = false) => ({ name, speed_mbit_per_s: speed, addresses: [], is_virtual });
  expect(nicWords([nic("ib0", 400_000), nic("eth0", 25_000), nic("ib1", 400_000), nic("usb0", null)])).toBe("2 × 400 Gbit/s, 25 Gbit/s");
  expect(nicWords([nic("eth0", null)])).toBe("speed unknown");
  expect(nicWords([nic("eth0", 1000), nic("veth7", 10_000, true)])).toBe("1 Gbit/s");
  expect(nicWords([nic("veth7", 10_000, true)])).toBe("10 Gbit/s");
  expect(nicWords([])).toBe("–");
});
