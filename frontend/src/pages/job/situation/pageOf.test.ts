import { expect, it } from "vitest";
import { pageOf } from "./pageOf";

it("finds the page that a command of an advice stands for", () => {
  expect(pageOf("ringscope logs 3 -f")).toEqual({ to: "/jobs/$jobId", params: { jobId: 3 }, search: { tab: "log" } });
  expect(pageOf("ringscope node n1")).toEqual({ to: "/nodes/$name", params: { name: "n1" } });
  expect(pageOf("ringscope nodes")).toEqual({ to: "/nodes" });
  expect(pageOf("ringscope clone 3 --set start_seconds=N")).toEqual({ to: "/jobs/new", search: { from: "3" } });
});

it("leaves commands without a page as they are", () => {
  for (const command of ["ringscope node NAME", "ringscope priority 3 N", "ringscope clone NAME", "pip install x", ""]) {
    expect(pageOf(command)).toBeNull();
  }
});
