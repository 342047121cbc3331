import { expect, it } from "vitest";
import type { NcclShape } from "../../../api/types";
import { legendOf, lookOf, shapeName } from "./looks";

const CLASSES = ["P2P", "shared memory", "the network with GPUDirect RDMA", "the network without GPUDirect RDMA", "TCP sockets", "another transport", null];

function shape(changes: Partial<NcclShape>): NcclShape {
  return { kind: "ring", channels: [], edges: [], heads: null, head_ranks: [], ...changes };
}

it("tells all classes apart without their colour", () => {
  expect(new Set(CLASSES.map((name) => lookOf(name).dash ?? "solid")).size).toBe(CLASSES.length);
  expect(new Set(CLASSES.map((name) => lookOf(name).name)).size).toBe(CLASSES.length);
});

it("lists the classes of a shape from the fastest to the slowest, and what is not printed last", () => {
  const edges = [null, "TCP sockets", "P2P", "P2P"].map((transport_class, i) => ({ source: i, target: i + 1, transport_class, transports: [] }));
  expect(legendOf(shape({ edges })).map(({ look, edges: count }) => [look.name, count])).toEqual([
    ["P2P", 2],
    ["TCP sockets", 1],
    ["transport not printed", 1],
  ]);
});

it("names a shape with its channels", () => {
  expect(shapeName(shape({ channels: [0, 1, 2] }))).toBe("Ring of channels 0–2");
  expect(shapeName(shape({ kind: "tree", channels: [4] }))).toBe("Tree of channel 4");
  expect(shapeName(shape({ kind: "nvls" }))).toBe("NVLS");
});
