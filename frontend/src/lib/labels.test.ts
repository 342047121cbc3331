import { expect, it } from "vitest";
import { hasLabel, isWritable, toggledLabel } from "./labels";

it.each([
  ["", "rack=3"],
  ["zone=a", "zone=a, rack=3"],
  ["rack=3", ""],
  [" zone = a=b,rack= 3 ", "zone = a=b"],
  ["rack=4, zone=a", "zone=a, rack=3"],
  ["zone", "zone, rack=3"],
])("puts a label into a text and takes it out again: %j", (text, after) => expect(toggledLabel(text, "rack", "3")).toBe(after));

it("finds a label that a text asks for", () => {
  expect(["rack=3", "zone=a, rack = 3", "rack=33", "rack=3, rack=4", ""].map((text) => hasLabel(text, "rack", "3"))).toEqual([true, true, false, false, false]);
});

it("knows labels that no text can say", () => {
  expect([isWritable("rack", "3"), isWritable("zone", "a=b"), isWritable("team", "a, b"), isWritable("a=b", "c"), isWritable("a", " b")]).toEqual([
    true, true, false, false, false,
  ]);
});
