// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { aJob } from "../../testing/fixtures";
import { Answers, drawn } from "../../testing/page";
import { JobsTable } from "./JobsTable";

it("goes through the pinned rows by j and k as well", async () => {
  vi.stubGlobal("scrollBy", () => undefined);
  const jobs = [aJob({ id: 3 }), aJob({ id: 2 })];
  await drawn(<JobsTable jobs={jobs} pinned={[aJob({ id: 1 })]} />, "/jobs");
  const focused = async (key: string): Promise<string | null | undefined> => {
    await act(async () => void document.dispatchEvent(new KeyboardEvent("keydown", { key })));
    return document.activeElement?.getAttribute("href");
  };
  expect([await focused("j"), await focused("j"), await focused("j"), await focused("j")]).toEqual(["/jobs/1", "/jobs/3", "/jobs/2", "/jobs/2"]);
  expect([await focused("k"), await focused("k"), await focused("k")]).toEqual(["/jobs/3", "/jobs/1", "/jobs/1"]);
});

it("shows the first line of a job's note behind its name, and all of it on hover", async () => {
  const page = await drawn(<JobsTable jobs={[]} pinned={[aJob({ id: 3, note: "new cable\nsince Monday" }), aJob({ id: 2 })]} />, "/jobs");
  const [noted, plain] = [...page.querySelectorAll("tbody th")];
  expect(noted?.textContent).toContain("⌖ new cable");
  expect(noted?.querySelector("span.dim")?.getAttribute("title")).toBe("new cable\nsince Monday");
  expect(plain?.textContent).toBe("sweep ⌖0/10");
});

it("says at the heading of the results that medians decide", async () => {
  const page = await drawn(<JobsTable jobs={[aJob()]} />, "/jobs", new Answers(), 1280);
  expect([...page.querySelectorAll("thead th")].map(({ textContent }) => textContent)).toContain("Result medians decide");
});
