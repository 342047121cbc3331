import { describe, expect, it, test } from "vitest";
import { aJob } from "../../testing/fixtures";
import { argumentsOf, formToSpec, problemsAt, specToForm, valueAt, withArgument } from "./specForm";
import type { Reading, FieldTable } from "./types";

const { spec } = aJob();

/** The value of a text in a field with this reading, and the text of that value. */
function through(reads: Reading, text: string): [value: unknown, text: string] {
  const table: FieldTable<"field"> = { field: { pointer: "/labels/field", label: "Field", reads } };
  const made = formToSpec(table, { field: text }, spec);
  return [valueAt(made, "/labels/field"), specToForm(table, made).field];
}

test.each<[Reading, string, unknown]>([
  ["text", " a ", " a "],
  ["optional text", "a", "a"],
  ["number", "1.5", 1.5],
  ["whole number", "-1", -1],
  ["optional number", "0", 0],
  ["size", "16 MiB", 16 * 2 ** 20],
  ["optional size", "1000 B", 1000],
  ["flag", "on", true],
  ["flag", "off", false],
  ["names", "ring,mpi", ["ring", "mpi"]],
  ["sizes by name", "heads=4,kind=wide", { heads: 4, kind: "wide" }],
  ["lines", "a b\nc", ["a b", "c"]],
])("%s: %j is %j, and that text again", (reads, text, value) => {
  expect(through(reads, text)).toEqual([value, text]);
});

test.each<[Reading, unknown]>([
  ["text", ""], ["optional text", null], ["number", ""], ["optional number", null], ["optional whole number", null],
  ["optional size", null], ["names", []], ["sizes by name", {}], ["lines", []],
])("%s: nothing is %j", (reads, value) => {
  expect(through(reads, "")).toEqual([value, ""]);
});

test("text that is no number or size goes to the server as it is", () => {
  expect((["number", "optional whole number", "size", "optional size"] as const).map((reads) => through(reads, "many")[0])).toEqual(Array(4).fill("many"));
});

test("a form says its fields alone: the specification that it began from keeps the rest, itself unchanged", () => {
  const before = structuredClone(spec);
  const table: FieldTable<"team"> = { team: { pointer: "/labels/team", label: "Team", reads: "text" } };
  expect(formToSpec(table, { team: "infra" }, { ...spec, priority: 7 })).toEqual({ ...spec, priority: 7, labels: { team: "infra" } });
  expect(spec).toEqual(before);
  expect(valueAt(null, "/labels/team")).toBeUndefined();
});

describe("the server's sentences", () => {
  const table: FieldTable<"epochs" | "model_arguments"> = {
    epochs: { pointer: "/training/epochs", label: "Epochs", reads: "whole number" },
    model_arguments: { pointer: "/training/model_arguments", label: "Arguments", reads: "sizes by name" },
  };

  it("stand at their fields, each once, those of an argument at that argument", () => {
    const found = [
      { pointer: "/training/epochs", detail: "Too small." },
      { pointer: "/training/epochs", detail: "Too small." },
      { pointer: "/training/epochs/0", detail: "No number." },
      { pointer: "/training/model_arguments/heads", detail: "Too many." },
    ];
    expect(problemsAt(table, found)).toEqual({ fields: { epochs: "Too small. No number.", "model_arguments.heads": "Too many." }, other: [] });
  });

  it("that belong to no field are listed once", () => {
    const found = [{ pointer: "/training/epochs_more", detail: "Unknown." }, { pointer: "", detail: "Unknown." }];
    expect(problemsAt(table, found)).toEqual({ fields: {}, other: ["Unknown."] });
  });
});

test("one argument of a model is set, replaced and taken away", () => {
  expect(withArgument("", "heads", "4")).toBe("heads=4");
  expect(withArgument("heads=4,width=8", "heads", "2")).toBe("width=8,heads=2");
  expect(withArgument("heads=4,width=8", "heads", " ")).toBe("width=8");
  expect(argumentsOf("heads=,=3")).toEqual({ heads: "", "": 3 });
});
