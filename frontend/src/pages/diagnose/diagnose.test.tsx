// @vitest-environment jsdom
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { ExplainedFiles } from "../../api/types";
import { chooseFiles, chosenFiles, explanationQuery } from "../../components/imports/files";
import { meQuery } from "../../data/server";
import { Answers, drawn } from "../../testing/page";
import { DiagnosePage } from "./DiagnosePage";

const NOTHING: ExplainedFiles = { files: [], hang: null, nccl_log: null, nccl_inspector: null, nccl_ras: [], results: [] };

beforeEach(() => {
  chooseFiles([]);
});

async function explained(told: Partial<ExplainedFiles>): Promise<HTMLElement> {
  const chosen = chooseFiles([new File(["x"], "a")]);
  const answers = new Answers().of(explanationQuery(chosen), { ...NOTHING, ...told }).of(meQuery, { name: "eve", role: "viewer", command: null } as never);
  const page = await drawn(<DiagnosePage />, "/diagnose", answers);
  // Parts are loaded when they are needed.
  for (let tries = 0; page.querySelector("[aria-busy]") && tries < 200; tries += 1) await act(() => new Promise((resolve) => setTimeout(resolve, 5)));
  return page;
}

it("says what can be dropped before anything is", async () => {
  const page = await drawn(<DiagnosePage />, "/diagnose");
  expect(page.textContent).toContain("Drop files anywhere on this page");
  expect(page.textContent).toContain("Flight Recorder dumps of all ranks");
  const links = [...page.querySelectorAll("a")].map((link) => [link.textContent, link.getAttribute("href")]);
  expect(links, "for those who look for a slow node").toEqual([["measure all links", "/nodes#links"], ["a job judged low", "/jobs?judgement=low"]]);
});

it("says why a file is in no part", async () => {
  const page = await explained({ files: [{ name: "photo.png", kinds: [], what: "", refused: "this is no file that can be explained here." }] });
  expect(page.querySelector("[role=alert]")?.textContent).toBe("photo.png: this is no file that can be explained here.");
});

it("shows a hang with the missing rank in its own row", async () => {
  const cell = (state: string, detail: string | null = null) => ({ state, detail });
  const page = await explained({
    files: [{ name: "dump_0", kinds: ["flight_recorder"], what: "a dump", refused: null }],
    hang: {
      answer: "Rank 1 has not issued operation 2.", is_clean: false, ranks: [0, 1, 2], without_dump: [3], operations_compared: 2,
      findings: [], findings_omitted: 0, pairs: [],
      table: {
        group: "0", group_description: "default_pg",
        columns: [
          { sequence: 1, name: "all_reduce", source: "/home/me/train.py:11", is_finding: false },
          { sequence: 2, name: "broadcast", source: null, is_finding: true },
        ],
        rows: [
          { ranks: [1], cells: [cell("ended"), cell("missing")] },
          { ranks: [0, 2], cells: [cell("ended"), cell("differs", "shape [5]")] },
        ],
      },
    },
  });
  const rows = [...page.querySelectorAll("figure tbody tr")].map((row) => row.textContent);
  expect(rows).toEqual(["rank 1endednot issued", "ranks 0 and 2endedanother callshape [5]"]);
  expect(page.textContent).toContain("me/train.py:11");
  expect(page.textContent).toContain("There is no dump of rank 3.");
  expect(page.textContent).toContain("ringscope hang dump_0");
});

it("draws each edge of NCCL's channels with the look of its transport", async () => {
  const edge = (source: number, target: number, transport_class: string | null) => ({ source, target, transport_class, transports: transport_class ? [transport_class] : [] });
  const page = await explained({
    nccl_log: {
      answer: "TCP sockets carry the edges between ranks 0-1.", overview: "NCCL 2.21", remarks: [{ kind: "sockets", sentence: "x" }], nodes: [], warnings: [],
      communicators_omitted: 0,
      communicators: [
        {
          id: null, ranks: 2, channels: 1, is_complete: false, is_drawn: true, shapes_omitted: 0,
          places: [0, 1].map((rank) => ({ rank, host: `n${rank}`, device: 0 })),
          shapes: [
            { kind: "ring", channels: [0], edges: [edge(0, 1, "TCP sockets"), edge(1, 0, null)], heads: null, head_ranks: [] },
            { kind: "nvls", channels: [], edges: [], heads: 8, head_ranks: [0] },
          ],
        },
      ],
    },
  });
  const drawnEdges = [...page.querySelectorAll("svg[role=img] path[fill=none]")];
  expect(drawnEdges.map((path) => path.getAttribute("stroke"))).toEqual(["var(--bad)", "var(--line-strong)"]);
  expect(page.querySelector("svg[role=img]")?.getAttribute("aria-label")).toBe("Ring of channel 0 over 2 nodes and 2 ranks");
  const choice = page.querySelector("select");
  await act(async () => {
    if (choice) choice.value = "1";
    choice?.dispatchEvent(new Event("change", { bubbles: true }));
  });
  expect(page.textContent).toContain("NVSwitch");
});

/** A series of three records whose second one fell. */
function inspected(): NonNullable<ExplainedFiles["nccl_inspector"]> {
  const point = (operation: number, busbw: number, isDrop = false) => ({ operation, rank: 2, host: "n1", time_us: 1, busbw_gb_per_s: busbw, is_drop: isDrop, is_contradictory: false });
  return {
    answer: "1 of 3 records fell.", notes: [], versions: [], series_omitted: 0,
    series: [
      {
        communicator: "0x1", ranks: 8, nodes: 1, collective: "AllReduce", size_bytes: 1024, records: 3, drops: 1, drop_sentence: "It fell.", contradictory: 0, skipped_operations: 0,
        lowest_busbw_gb_per_s: 1, median_busbw_gb_per_s: 10, highest_busbw_gb_per_s: 11, points: [point(1, 10), point(2, 1, true), point(3, 11)],
      },
    ],
  };
}

it("marks the drops of a series", async () => {
  const page = await explained({ nccl_inspector: inspected() });
  const chart = page.querySelector("svg[role=img]");
  expect(chart?.getAttribute("aria-label")).toBe("Bus bandwidth of AllReduce of 1 KiB: 3 records, 1 drop");
  expect(chart?.querySelectorAll("circle")).toHaveLength(2);
  expect(chart?.querySelectorAll("path")).toHaveLength(1);
  expect(chart?.textContent).toContain("1.00, rank 2");
});

it("explains the Inspector's files that are dropped on the page, and keeps the browser from opening them", async () => {
  const names = ["node1-pid7.log", "node2-pid9.log"];
  const files = names.map((name) => ({ name, kinds: ["nccl_inspector" as const], what: "records of NCCL Inspector", refused: null }));
  const next = explanationQuery({ at: chosenFiles().at + 1, files: [] });
  const page = await drawn(<DiagnosePage />, "/diagnose", new Answers().of(next, { ...NOTHING, files, nccl_inspector: inspected() }));
  expect(page.textContent).toContain("Drop files anywhere on this page");
  const drop = Object.assign(new Event("drop", { cancelable: true }), { dataTransfer: { types: ["Files"], files: names.map((name) => new File(["{}"], name)) } });
  act(() => void window.dispatchEvent(drop));
  await vi.waitFor(() => expect(page.querySelector("svg[role=img]")).not.toBeNull());
  expect(drop.defaultPrevented).toBe(true);
  expect(page.textContent).not.toContain("Drop files anywhere on this page");
  expect(page.querySelector(".page-head")?.textContent).toContain("2 files");
  expect(page.textContent).toContain("ringscope nccl-inspector node1-pid7.log node2-pid9.log");
  expect(page.textContent).toContain("1 of 3 records fell.");
});

it("names the minority of ranks of a report, and what it was compared with", async () => {
  const report = (path: string, comparedWith: string | null) => ({
    path, answer: "Rank 2 is behind.", compared_with: comparedWith, nccl_version: "2.28", is_repaired: true, timeouts: 0,
    remarks: [{ kind: "hanging", communicator: "abc", ranks: [2], sentence: "Rank 2 is behind." }],
    communicators: [{ name: "abc", ranks: 4, missing_ranks: [], dead_ranks: null, counts: { AllReduce: { "9": 1, "10": 3 } } }],
  });
  const page = await explained({ nccl_ras: [report("first", null), report("second", "first")] });
  expect(page.textContent).toContain("AllReduce, 1 rank: 9; 3 ranks: 10");
  expect(page.textContent).toContain("The JSON missed commas");
  expect(page.textContent).toContain("ringscope nccl-ras second --before first");
});

it("offers a viewer no import of a result", async () => {
  const page = await explained({ results: [{ path: "a", refused: "Line 1: there is no table.", runs: [] }] });
  expect(page.textContent).toContain("Refused. Line 1: there is no table.");
  expect(page.textContent).not.toContain("Import 1 file");
});
