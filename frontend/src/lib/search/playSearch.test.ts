import { expect, test } from "vitest";
import { playSearch, SPEEDS } from "./playSearch";

test("what the URL of a ring says is kept, and written as it was read", () => {
  const search = { step: "12", speed: "0.25", pace: "time", view: "table" };
  expect(playSearch(search)).toEqual(search);
  expect(playSearch({ ...playSearch({ step: 3, speed: 2 }) })).toEqual({ step: "3", speed: "2" });
});

test("what is usual or unknown is left out", () => {
  expect(playSearch({})).toEqual({});
  expect(playSearch({ step: "0", speed: "1", pace: "equal", view: "chart", other: "x" })).toEqual({});
  for (const step of ["-1", "1.5", "01", "1e3", "9999999999", "x", null]) expect(playSearch({ step }), String(step)).toEqual({});
  expect(playSearch({ speed: "3" })).toEqual({});
});

test("every speed but the usual one has a place in the URL", () => {
  expect(SPEEDS.filter((speed) => playSearch({ speed }).speed !== speed)).toEqual(["1"]);
});
