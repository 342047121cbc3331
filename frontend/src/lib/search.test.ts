import { describe, expect, it } from "vitest";
import { jobSearch, jobsSearch, parseSearch, stringifySearch } from "./search";

describe("the query of a URL", () => {
  it("is plain text in both directions", () => {
    const search = { min: "16 MiB", algorithms: "ring,mpi", q: "a&b=c" };
    expect(stringifySearch(search)).toBe("?min=16+MiB&algorithms=ring,mpi&q=a%26b%3Dc");
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it("is empty without values", () => expect(stringifySearch({ q: "", state: undefined })).toBe(""));
});

it("keeps a known state and drops an unknown one", () => {
  expect(jobsSearch({ state: "failed", q: "x" })).toEqual({ state: "failed", q: "x" });
  expect(jobsSearch({ state: "exploded", q: "" })).toEqual({});
});

it("keeps what a job page understands, without defaults", () => {
  expect(jobSearch({ metric: "time", place: "both", view: "table", algorithm: "mpi", log: "rank:1" })).toEqual({
    metric: "time",
    place: "both",
    view: "table",
    algorithm: "mpi",
    log: "rank:1",
  });
  expect(jobSearch({ metric: "busbw", place: "out", view: "chart", algorithm: "" })).toEqual({});
});
