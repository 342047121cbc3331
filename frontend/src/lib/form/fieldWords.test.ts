import { describe, expect, it } from "vitest";
import { formWords, unreadable } from "./fieldWords";
import { SWEEP_FIELDS, STANDARD } from "./form";
import { SCRIPT_FIELDS } from "./scriptForm";
import { problemsAt } from "./specForm";

describe("what cannot be read", () => {
  it("is shown at its field while typing, with an example of valid text", () => {
    const form = { ...STANDARD, ranks: "abc", max: "foo", iterations: "", cycles: "1.5", step: "1 pound", limit: " 60 " };
    expect(unreadable(SWEEP_FIELDS, form)).toEqual({
      ranks: "A whole number is needed, and this is “abc”.",
      max: "This is no size; write it as 8, 64K, 16 MiB or 16 MB.",
      iterations: "A whole number is needed.",
      cycles: "A whole number is needed, and this is “1.5”.",
      step: "This is no size; write it as 8, 64K, 16 MiB or 16 MB.",
    });
  });

  it("may be empty where nothing need be said, and does not matter where it is not shown", () => {
    expect(unreadable(SWEEP_FIELDS, { ...STANDARD, step: "", latency: "", nics: "" })).toEqual({});
    expect(unreadable(SWEEP_FIELDS, { ...STANDARD, ranks: "abc" }, ["ranks"])).toEqual({});
    expect(unreadable(SWEEP_FIELDS, { ...STANDARD, latency: "fast" })).toEqual({ latency: "A number is needed, and this is “fast”." });
  });
});

describe("the server's sentence in the form", () => {
  it("has the form's labels, and not the name of the field that it stands at", () => {
    const detail = "benchmark.min_bytes: min_bytes 65536 is larger than max_bytes 8; lower min_bytes or raise max_bytes.";
    expect(formWords(SWEEP_FIELDS, detail)).toBe(
      "“Smallest” 65536 is larger than “Largest” 8; lower “Smallest” or raise “Largest”.",
    );
    expect(formWords(SWEEP_FIELDS, "benchmark.algorithms[0]: algorithm nccl needs a GPU.")).toBe("Algorithm nccl needs a GPU.");
    expect(formWords(SWEEP_FIELDS, "give 1, and the ranks in benchmark.topology.shape.")).toBe("Give 1, and the ranks in “Shape”.");
  });

  it("keeps words that only look like names", () => {
    const detail = "placement.ranks: 99 ranks were asked for, but the cluster has 4 slots; ask for 4 or fewer, or start an agent with more --slots.";
    expect(formWords(SCRIPT_FIELDS, detail)).toBe("99 ranks were asked for, but the cluster has 4 slots; ask for 4 or fewer, or start an agent with more --slots.");
    expect(formWords(SCRIPT_FIELDS, "halving_doubling needs a power of two.")).toBe("halving_doubling needs a power of two.");
  });

  it("is said once", () => {
    const twice = ["/script/file", "/script/file", "/labels", "/labels"].map((pointer) => ({ pointer, detail: "name it." }));
    expect(problemsAt(SCRIPT_FIELDS, twice)).toEqual({ fields: { file: "Name it." }, other: ["Name it."] });
  });
});
