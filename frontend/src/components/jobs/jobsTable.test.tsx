// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { aJob } from "../../testing/fixtures";
import { drawn } from "../../testing/page";
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
