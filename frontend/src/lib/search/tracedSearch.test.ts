import { describe, expect, it } from "vitest";
import type { TracedOperation } from "../../api/types";
import { parseSearch, stringifySearch } from "./search";
import { searchOf, tracedSearch, traceOptions } from "./tracedSearch";

function operation(algorithm: string, size_bytes: number, in_place = false): TracedOperation {
  return {
    algorithm, size_bytes, in_place,
    collective: "all_reduce", chosen_algorithm: null, transport: "shared_memory", dtype: "float32", duration_ns: 1,
  };
}

const ITEMS = [
  operation("ring", 1024), operation("ring", 1024, true), operation("ring", 4096), operation("ring", 4096, true), operation("tree", 4096),
];

describe("the URL of a job's ring", () => {
  it("keeps which operation and which step", () => {
    const search = { size: "4096", algorithm: "ring", in_place: "false", step: "3", speed: "2", pace: "time", view: "table" } as const;
    expect(tracedSearch(parseSearch(stringifySearch(search)))).toEqual(search);
    expect(tracedSearch({ ...searchOf(operation("ring", 0, true)), step: "0" })).toEqual({ size: "0", algorithm: "ring", in_place: "true" });
  });

  it("drops what it does not know", () => {
    expect(tracedSearch({ size: "4K", algorithm: "a b", in_place: "yes", step: "x", speed: "9", n: "8" })).toEqual({});
  });
});

describe("traceOptions", () => {
  it("takes the first of the largest where the URL leaves it open", () => {
    expect(traceOptions(ITEMS, {})).toEqual({
      chosen: ITEMS[2], isAsked: true, algorithms: ["ring", "tree"], places: [false, true], sizes: [1024, 4096],
    });
  });

  it("takes what the URL names, and offers what there is of it", () => {
    const search = searchOf(operation("ring", 1024, true));
    expect(traceOptions(ITEMS, search)).toMatchObject({ chosen: ITEMS[1], isAsked: true });
    expect(traceOptions(ITEMS, { algorithm: "tree" })).toMatchObject({ chosen: ITEMS[4], isAsked: true, places: [false], sizes: [4096] });
  });

  it("takes the nearest where there is no such operation, and says so", () => {
    expect(traceOptions(ITEMS, { algorithm: "tree", in_place: "true", size: "1024" })).toMatchObject({ chosen: ITEMS[4], isAsked: false });
    expect(traceOptions(ITEMS, { size: "64" })).toMatchObject({ chosen: ITEMS[2], isAsked: false });
  });

  it("has nothing to choose where nothing was followed", () => {
    expect(traceOptions([], { size: "64" })).toEqual({ chosen: null, isAsked: false, algorithms: [], places: [], sizes: [] });
  });
});
