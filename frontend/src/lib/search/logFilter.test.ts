import { describe, expect, it } from "vitest";
import { exportUrl, lineOf, logFilterOf } from "./logFilter";

describe("the filter of a log", () => {
  it("is what the URL says", () => {
    expect(logFilterOf({})).toEqual({});
    expect(logFilterOf({ log: "rank 3", rank: "2", stream: "stderr" })).toEqual({ rank: 2, stream: "stderr", q: "rank 3" });
    expect(logFilterOf({ level: "error" })).toEqual({ level: "error" });
  });

  it("takes the text as words, or as a regular expression", () => {
    expect(logFilterOf({ log: "^a|b", match: "regex" })).toEqual({ pattern: "^a|b" });
    expect(logFilterOf({ match: "regex" })).toEqual({});
  });

  it("goes into the address of the file", () => {
    expect(exportUrl(7, {})).toBe("/api/v1/jobs/7/log/export");
    expect(exportUrl(7, { rank: 0, pattern: "a+b" })).toBe("/api/v1/jobs/7/log/export?rank=0&pattern=a%2Bb");
  });
});

it.each([["L120", 120], ["L", null], ["l120", null], ["", null]])("reads the line of #%s", (hash, line) => {
  expect(lineOf(hash)).toBe(line);
});
