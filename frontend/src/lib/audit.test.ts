import { expect, it } from "vitest";
import { auditCommand, auditParams, auditSearch, exportPath } from "./audit";
import pageCommands from "./pageCommands.json";

const search = { actor: "ada", action: "job.*", target: "job:12", since: "2026-01-02", until: "2026-01-03" };

it("keeps what it understands", () => {
  expect(auditSearch({ ...search, page: "3" })).toEqual(search);
  expect(auditSearch({ actor: "", since: "yesterday", until: 5 })).toEqual({});
});

it("says it in the API's words, days as instants", () => {
  expect(auditParams(search)).toEqual({
    actor: "ada",
    action: "job.*",
    target_type: "job",
    target_id: "12",
    since: new Date(2026, 0, 2).toISOString(),
    until: new Date(2026, 0, 3).toISOString(),
  });
  expect(auditParams({ target: "node" })).toEqual({ target_type: "node" });
  expect(auditParams({ target: "node:a:b" })).toEqual({ target_type: "node", target_id: "a:b" });
});

it("exports the same, and says it to a terminal", () => {
  expect(exportPath({ action: "job.*" }, "csv")).toBe("/api/v1/events/export?format=csv&action=job.*");
  expect(auditCommand(search)).toBe(pageCommands.events);
  expect(auditCommand({})).toBe("ringscope events");
});
