// @vitest-environment jsdom
import { expect, it } from "vitest";
import { nodeGpusQuery } from "../../data/nodes";
import { Answers, drawn } from "../../testing/page";
import { NodeGpus } from "./NodeGpus";

const HOT = { index: 0, utilization_ratio: 0.25, memory_used_bytes: 1 << 30, temperature_celsius: 88, power_watts: 412.4, power_limit_watts: 700, clock_mhz: 1410, most_clock_mhz: 1980, slowed_by: ["too_hot"], ecc_corrected: 7, ecc_uncorrected: 1, rows_remapped: 1, is_remap_pending: true, nvlinks_up: 17, nvlink_errors: 3, xids: [74, 74] };

async function shown(gpus: object[], age: number | null): Promise<HTMLElement> {
  return drawn(<NodeGpus name="n1" />, "/nodes/n1", new Answers().of(nodeGpusQuery("n1"), { node: "n1", age_seconds: age, gpus } as never));
}

it("shows what each GPU does and what is wrong with it", async () => {
  const page = await shown([HOT, { index: 1 }, { index: 2, slowed_by: [], ecc_uncorrected: 0, nvlinks_up: 0 }], 4);
  const rows = [...page.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toEqual([
    ["0", "25 %", "1 GiB", "88 °C", "412 of 700 W", "1410 of 1980 MHz", "heat", "1 not corrected, 7 corrected, 1 row replaced, reset it to replace broken memory", "17 active, 3 errors", "74"],
    ["1", "–", "–", "–", "–", "–", "not reported", "not reported", "not reported", "none"],
    ["2", "–", "–", "–", "–", "–", "nothing", "none", "0 active", "none"],
  ]);
  expect(page.textContent).toContain("read 4 s ago");
});

it("says that no state was reported yet", async () => {
  expect((await shown([], null)).textContent).toContain("The agent has not reported the state of the GPUs");
});
