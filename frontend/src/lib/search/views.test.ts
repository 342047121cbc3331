import { expect, it } from "vitest";
import pageCommands from "../pageCommands.json";
import { jobsCommand, queryOf, searchOf, usualViews, withView } from "./views";

it("leads back to what it was made of, without what was chosen", () => {
  const search = { sort: "-busbw" as const, q: "a&b", state: "failed" as const };
  expect(searchOf({ name: "x", query: queryOf({ ...search, chosen: "1" }) })).toEqual(search);
  expect(queryOf({ q: "x", state: "failed" })).toBe(queryOf({ state: "failed", q: "x" }));
});

it("has one of the user's own jobs once the user is known", () => {
  expect(usualViews(undefined).map((view) => view.name)).not.toContain("Mine");
  expect(usualViews("ada").at(-1)).toEqual({ name: "Mine", query: "?user=ada" });
  expect(usualViews("ada")[0]).toEqual({ name: "All", query: "" });
});

it("replaces a view of the same name", () => {
  const views = withView(withView([], { name: "a", query: "?q=1" }), { name: "b", query: "" });
  expect(withView(views, { name: "a", query: "?q=2" })).toEqual([{ name: "b", query: "" }, { name: "a", query: "?q=2" }]);
});

it("says the list to a terminal", () => {
  expect(jobsCommand({})).toBe("ringscope jobs");
  expect(jobsCommand({ q: "a b", state: "failed", sort: "-busbw", chosen: "1" })).toBe(pageCommands.jobs);
});
