import { expect, it } from "vitest";
import { activityWords } from "./activity";

const activity = { doing: "importing torch", is_loading: true, ranks: [2], count: 1, nodes: ["n1"], since: null };

it("says which rank loads what", () => {
  expect(activityWords(activity)).toBe("Rank 2 on n1: importing torch.");
  expect(activityWords({ ...activity, since: "2026-01-01T12:00:00Z" })).toMatch(/importing torch, since .*00.*\.$/);
});

it("names some of many ranks, and counts their nodes", () => {
  const ranks = Array.from({ length: 64 }, (_, rank) => rank);
  expect(activityWords({ ...activity, ranks, count: 100, nodes: ["n1", "n2"] })).toBe(
    "Ranks 0, 1, 2, 3, 4, 5, 6, 7, … on 2 nodes: importing torch.",
  );
});
