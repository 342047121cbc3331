import { describe, expect, it } from "vitest";
import { exampleQuestion, READY, ringForm, ringProblems, ringSearch, traceCommand } from "./ringForm";
import { parseSearch, stringifySearch } from "../search/search";

describe("the ring's URL", () => {
  it("is empty for the default example, and keeps every change", () => {
    expect(ringSearch({ ...READY, speed: "1", pace: "steps", step: "0" })).toEqual({});
    const search = { algorithm: "tree", values: "1,2;3,4", step: "3", speed: "0.25", pace: "time", view: "table" } as const;
    expect(ringSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  });

  it("keeps an emptied field empty", () => {
    const search = ringSearch({ ...READY, values: "", root: "" });
    expect(ringForm(ringSearch(parseSearch(stringifySearch({ ...search }))))).toEqual({ ...READY, values: "", root: "" });
  });

  it("drops what it does not know", () => expect(ringSearch({ step: "-1", speed: "9", pace: "x", colour: "red" })).toEqual({}));

  it("means as many ranks as it says, not the ready example's rows", () => {
    expect(ringForm({ n: "8" }).values).toBe("");
    expect(ringForm({ n: "3", values: "1;2;3" }).values).toBe("1;2;3");
    expect(ringForm({}).values).toBe(READY.values);
  });
});

it("asks in the server's words, and leaves what is no number to it", () => {
  expect(exampleQuestion(READY)).toEqual({
    collective: "all_reduce", algorithm: "ring", values: [[2, 4, 6], [1, 2, 3], [4, 8, 12]], shape: null, root: 0, element_bytes: 1_048_576,
  });
  expect(exampleQuestion({ ...READY, values: "", n: "2x4", each: "4" })).toMatchObject({ values: [], shape: "2x4", element_bytes: 4 });
  expect(exampleQuestion({ ...READY, values: "a,1;", each: "much" })).toMatchObject({ values: [["a", 1], [""]], element_bytes: "much" });
});

it("puts each sentence beside its field", () => {
  const problems = [{ pointer: "/values/0/1", detail: "no number" }, { pointer: "/shape", detail: "no shape" }, { pointer: "", detail: "else" }];
  expect(ringProblems(problems)).toEqual({ values: "No number", n: "No shape" });
});

it("says the same to a terminal", () => {
  expect(traceCommand(READY)).toBe("ringscope trace ring --ranks 3 --values '2,4,6;1,2,3;4,8,12'");
  expect(traceCommand({ ...READY, values: "", n: "2x2" })).toBe("ringscope trace ring --topology 2x2 --channels 1");
  expect(traceCommand({ ...READY, collective: "reduce", algorithm: "tree", values: "", n: "4", root: "2" })).toBe(
    "ringscope trace tree --collective reduce --ranks 4 --root 2",
  );
});
