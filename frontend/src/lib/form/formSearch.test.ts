import { expect, test } from "vitest";
import { anEngine } from "../../testing/fixtures";
import { STANDARD } from "./form";
import { followed, formChanges, formSearch, KINDS, kindOf, opened, usualRanks, withChanges, withKind } from "./formSearch";

test("fields of all forms have a place in the URL, and text alone", () => {
  const search = { ranks: "2", epochs: "3", path: "train.py", kind: "training", from: "42" };
  expect(formSearch({ ...search, evil: "x", min: 8, max: undefined })).toEqual(search);
});

test("a URL that names no kind that there is asks for a benchmark", () => {
  for (const kind of KINDS) expect(kindOf({ kind })).toBe(kind);
  expect([kindOf({}), kindOf({ kind: "mining" })]).toEqual(["benchmark", "benchmark"]);
});

test("another kind keeps what all kinds have", () => {
  const search = { name: "night", ranks: "8", limit: "60", priority: "9", min: "8 B", from: "42" };
  expect(withKind(search, "training")).toEqual({ kind: "training", name: "night", ranks: "8", limit: "60", priority: "9" });
  expect(withKind({ kind: "script", name: "night", path: "train.py" }, "benchmark")).toEqual({ name: "night" });
});

test("a URL holds what differs, and the form that it opens is the same again", () => {
  const form = { ...STANDARD, ranks: "7", name: "a&b=c", trace: "on" };
  const changes = formChanges(form, STANDARD);
  expect(changes).toEqual({ ranks: "7", name: "a&b=c", trace: "on" });
  expect(withChanges(STANDARD, changes)).toEqual(form);
  expect(withChanges(STANDARD, { toString: "x" })).toEqual(STANDARD);
});

test("variables stay out of the URL, since their values may be secrets", () => {
  expect(formChanges({ ...STANDARD, env: "HF_TOKEN=x", ranks: "7" }, STANDARD, ["env"])).toEqual({ ranks: "7" });
  expect(formSearch({ env: "HF_TOKEN=x" })).toEqual({});
});

test("a new sweep has as many ranks as there are slots, two to four", () => {
  expect([undefined, 0, 1, 3, 4, 64].map(usualRanks)).toEqual(["2", "2", "2", "3", "4", "4"]);
});

test("algorithms that the URL names stay, others are those of the collective", () => {
  const engine = anEngine();
  expect(opened(STANDARD, { collective: "broadcast" }, engine).algorithms).not.toBe(STANDARD.algorithms);
  expect(opened(STANDARD, { collective: "broadcast", algorithms: "direct" }, engine).algorithms).toBe("direct");
});

test("a URL says what hangs on the cluster, whatever is usual there, and what is empty", () => {
  const usual = { ...STANDARD, ranks: usualRanks(8), name: "night" };
  expect(formChanges({ ...usual, ranks: "2" }, usual, ["ranks"])).toEqual({ ranks: "2" });
  expect(formChanges({ ...usual, name: "" }, usual, ["ranks"])).toEqual({ ranks: "4", name: "" });
  expect(withChanges(usual, { name: "" }).name).toBe("");
});

test("a form stays as it is after its own change of the URL, and is reopened after any other", () => {
  const typed = { form: "abc", at: "", written: ["a", "ab", "abc"], opening: 0 };
  const reopened = () => "opened";
  expect(followed(typed, "ab", reopened)).toEqual({ form: "abc", at: "ab", written: ["abc"], opening: 0 });
  expect(followed(typed, "abc", reopened)).toEqual({ form: "abc", at: "abc", written: [], opening: 0 });
  expect(followed(typed, "x", reopened)).toEqual({ form: "opened", at: "x", written: [], opening: 1 });
});
