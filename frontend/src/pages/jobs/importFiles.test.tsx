// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { meQuery } from "../../data/server";
import { Answers, drawn } from "../../testing/page";
import { questionOf } from "../../components/imports/facts";
import { ImportFiles } from "./ImportFiles";

const FACTS = { gpu: "", nodes: "", ranks: "", cards: "", collective: "" } as const;

function aRun(changes: object = {}) {
  return {
    tool: "nccl-tests", line: 3, collective: "all_reduce", test: null, ranks: 8, partial: false, failed: false, refused: null, notes: [],
    machine: { gpu: null, nodes: 1, gpus_per_node: 8, hosts: [], versions: { nccl: "2.21" }, environment: {}, networks: [], nvls: null },
    rows: [{ size_bytes: 1024, in_place: false, time_us: 10, algbw_gb_per_s: 0.1, busbw_gb_per_s: 0.2, wrong: 0, flags: ["algbw = size / time"] }],
    judgement: { word: "unknown", sentence: "It is unknown what was to be expected: the log does not state the GPU (--gpu).", sizes: [], references: [] },
    ...changes,
  };
}

it("leaves out of the request what is empty or no number yet", () => {
  expect(questionOf([], { ...FACTS, gpu: " H100 ", nodes: "2", ranks: "x" })).toEqual({ files: [], gpu: "H100", nodes: 2 });
});

/** Lets updates be drawn until the condition holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds() && tries < 200; tries += 1) await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
  expect(holds()).toBe(true);
}

async function dropped(runs: object[]) {
  HTMLDialogElement.prototype.showModal = vi.fn();
  const post = vi.spyOn(api, "POST").mockImplementation(((path: string) =>
    Promise.resolve({ data: path.endsWith("preview") ? { files: [{ path: "a.log", refused: null, runs }] } : { files: [{ jobs: [{ job: { id: 7 } }] }] }, response: new Response() })) as never);
  const answers = new Answers().of(meQuery, { name: "ada", role: "operator", command: null } as never);
  const page = await drawn(<ImportFiles />, "/jobs", answers);
  const event = new Event("drop", { cancelable: true });
  const file = Object.assign(new File(["x"], "a.log"), { text: () => Promise.resolve("x") });
  Object.assign(event, { dataTransfer: { types: ["Files"], files: [file] } });
  act(() => void window.dispatchEvent(event));
  expect(event.defaultPrevented).toBe(true);
  return { page, post };
}

it("shows what is read in a dropped file, then stores it", async () => {
  const { page, post } = await dropped([aRun()]);
  await until(() => page.textContent.includes("the log does not state the GPU"));
  expect(page.textContent).toContain("Line 3: all_reduce, 8 ranks, nccl-tests");
  expect(page.textContent).toContain("1 row, 1 of which contradict themselves and count for nothing");
  const save = [...page.querySelectorAll("button")].find(({ textContent }) => textContent === "Save 1 job");
  await act(async () => save?.click());
  await until(() => post.mock.calls.some((call) => (call as unknown as string[])[0] === "/api/v1/imports"));
  post.mockRestore();
});

it("stores nothing if a table is refused", async () => {
  const { page, post } = await dropped([aRun(), aRun({ refused: "Line 9: the run crashed before its first row." })]);
  await until(() => page.textContent.includes("Refused. Line 9: the run crashed"));
  expect([...page.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith("Save"))?.disabled).toBe(true);
  post.mockRestore();
});

it("offers a viewer nothing", async () => {
  const page = await drawn(<ImportFiles />, "/jobs", new Answers().of(meQuery, { name: "eve", role: "viewer", command: null } as never));
  expect(page.querySelector("button")).toBeNull();
});
