import { describe, expect, it } from "vitest";
import { chosenIds, chosenSearch, compareSearch, filterOf, jobSearch, jobsSearch, listSearch, parseSearch, schedulesSearch, strangeWords, stringifySearch } from "./search";

describe("the query of a URL", () => {
  it("is plain text in both directions", () => {
    const search = { min: "16 MiB", algorithms: "ring,mpi", q: "a&b=c" };
    expect(stringifySearch(search)).toBe("?min=16+MiB&algorithms=ring,mpi&q=a%26b%3Dc");
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it("is empty without values", () => expect(stringifySearch({ state: undefined })).toBe(""));

  it("says of a field that it is empty", () => {
    expect(stringifySearch({ from: "42", name: "" })).toBe("?from=42&name=");
    expect(parseSearch("?from=42&name=")).toEqual({ from: "42", name: "" });
  });
});

it.each(["bogus", "constructor", "toString", "__proto__"])("says of the state %s that there is none, and filters by none", (state) => {
  const search = jobsSearch({ state, q: "x" });
  expect(filterOf(search)).toEqual({ q: "x" });
  expect(listSearch(search)).toEqual({ q: "x" });
  expect(strangeWords(search)).toBe(
    `There is no state “${state}”, so that every state is shown; choose one of held, queued, starting, running, stopping, succeeded, failed, cancelled.`,
  );
});

it("says what a kind can be, and nothing of what there is", () => {
  expect(strangeWords(jobsSearch({ kind: "guess" }))).toContain("choose one of benchmark, training, script, strategy_search, diagnosis, imported.");
  expect(strangeWords(jobsSearch({ state: "failed", kind: "script", q: "bogus" }))).toBe("");
});

it("says what a judgement can be, as the command line names it", () => {
  expect(strangeWords(jobsSearch({ judgement: "fine" }))).toContain("choose one of as_expected, low, above, impossible, unknown.");
  expect(filterOf(jobsSearch({ judgement: "fine" }))).toEqual({});
});

it("reads the short word for the algorithm, and names what it cannot filter by", () => {
  expect(jobsSearch({ algo: "ring" })).toEqual({ algorithm: "ring" });
  expect(jobsSearch({ algo: "ring", algorithm: "mpi" })).toEqual({ algorithm: "mpi" });
  const search = { ...jobsSearch({ algo: "ring" }), colour: "red" };
  expect(strangeWords(search)).toBe("The list has no filter “colour”, so that it filters by none; choose among state, kind, collective, algorithm, user, judgement, node, q.");
  expect([filterOf(search), strangeWords(jobsSearch({ algo: "ring" }))]).toEqual([{ algorithm: "ring" }, ""]);
});

it("keeps a known state, and what can be read of the rest", () => {
  expect(jobsSearch({ state: "failed", q: "x" })).toEqual({ state: "failed", q: "x" });
  expect(jobsSearch({ state: "", q: "", chosen: "x", kind: "", sort: "colour", algorithm: "a b" })).toEqual({});
  const whole = { state: "failed", kind: "training", collective: "all_gather", algorithm: "ring", user: "a", judgement: "low", node: "n", q: "x" };
  expect(jobsSearch({ ...whole, sort: "-busbw", chosen: "3,1" })).toEqual({ ...whole, sort: "-busbw", chosen: "3,1" });
  expect([jobsSearch({ base: "5" }), jobsSearch({ base: "five" }), listSearch({ base: "5" })]).toEqual([{ base: "5" }, {}, {}]);
  expect(filterOf(jobsSearch({ ...whole, sort: "-busbw", chosen: "3,1" }))).toEqual(whole);
  expect(listSearch(jobsSearch({ ...whole, sort: "-busbw", chosen: "3,1" }))).toEqual({ ...whole, sort: "-busbw" });
});

it("reads each chosen job once", () => {
  expect(chosenIds("3,1,,3")).toEqual([3, 1]);
  expect(chosenIds(undefined)).toEqual([]);
});

it("keeps what a job page understands, without defaults", () => {
  expect(jobSearch({ metric: "time", place: "both", view: "table", inside: "table", algorithm: "mpi", log: "rank:1" })).toEqual({
    metric: "time",
    place: "both",
    view: "table",
    inside: "table",
    algorithm: "mpi",
    log: "rank:1",
  });
  expect(jobSearch({ metric: "busbw", place: "out", view: "chart", inside: "timeline", algorithm: "" })).toEqual({});
});

it("keeps the part of a job's page, its options, and the rank of its lines", () => {
  const search = { tab: "log", size: "67108864", rank: "3", wrap: "off", beside: "baseline", metric: "limit", cell: "3.120" };
  expect(jobSearch(search)).toEqual(search);
  expect(jobSearch({ tab: "results", size: "64M", rank: "-1", wrap: "on", beside: "none", cell: "3" })).toEqual({});
  const shared = { beside: "base", base: "5" };
  expect(jobSearch(shared)).toEqual(shared);
  expect(jobSearch({ base: "5" })).toEqual({});
  for (const kept of [{ beside: "model" }, { y: "linear" }, { y: "log" }]) expect(jobSearch(kept)).toEqual(kept);
  // As 0.1.0 named them.
  expect(jobSearch({ beside: "baseline", base: "5" })).toEqual(shared);
  expect(jobSearch({ beside: "usual" })).toEqual({ beside: "baseline" });
  expect(jobSearch({ cell: "after.0" })).toEqual({ cell: "after.0" });
});

it("keeps the time at which the log is looked at, as the address has it", () => {
  const search = { tab: "log", rank: "3", at: "2026-01-31T12:00:00.000123Z" };
  expect(jobSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  for (const at of ["noon", "2026-01-31", "2026-13-31T12:00:00Z", "2026-01-31T12:00:00+01:00"]) expect(jobSearch({ at })).toEqual({});
});

it("keeps which jobs are compared, to which one, and over what", () => {
  expect(compareSearch({ ids: "3,1", base: "1", x: "time", view: "table" })).toEqual({ ids: "3,1", base: "1", x: "time", view: "table" });
  const sweeps = { ids: "3,1", algorithm: "ring", place: "in", scale: "ratio", y: "log", band: "off", hide: "3,1" };
  expect(compareSearch(sweeps)).toEqual(sweeps);
  expect(compareSearch({ ids: "3;1", base: "one", x: "steps", algorithm: "", place: "out", scale: "busbw", y: "cubic", band: "on", hide: "ring", view: "chart" })).toEqual({});
});

it("keeps which one of a list is shown", () => {
  expect(chosenSearch({ id: "7", x: "y" })).toEqual({ id: "7" });
  expect(chosenSearch({ id: "seven" })).toEqual({});
  expect(schedulesSearch({ job: "12", x: "y" })).toEqual({ job: "12" });
  expect(schedulesSearch({ id: "7", job: "last" })).toEqual({ id: "7" });
});
