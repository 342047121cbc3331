import { describe, expect, it } from "vitest";
import { type Entry, found, jobNumber } from "./palette";

const entries: Entry[] = [
  { id: "1", kind: "Page", title: "Jobs" },
  { id: "2", kind: "Do", title: "New job" },
  { id: "3", kind: "Job", title: "nightly ring", note: "job 7 succeeded" },
];
const ids = (text: string): string[] => found(entries, text).map((entry) => entry.id);

describe("found", () => {
  it("offers everything before a letter is typed", () => expect(ids("  ")).toEqual(["1", "2", "3"]));
  it("wants every word, wherever it stands", () => {
    expect(ids("RING succ")).toEqual(["3"]);
    expect(ids("ring failed")).toEqual([]);
  });
  it("puts titles first that begin so", () => expect(ids("new")).toEqual(["2"]));
  it("keeps the order of the others", () => expect(ids("job")).toEqual(["1", "2", "3"]));
});

it.each([
  ["42", 42],
  ["#42", 42],
  ["job 42", 42],
  ["http://h:8000/jobs/42?metric=time", 42],
  ["/jobs/new", null],
  ["42 ranks", null],
  ["", null],
])("reads %j as job %j", (text, job) => expect(jobNumber(text)).toBe(job));
