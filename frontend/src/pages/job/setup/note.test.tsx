// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../../api/client";
import { jobQuery } from "../../../data/job";
import { meQuery } from "../../../data/server";
import { aJob } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { Note } from "./Note";

const me = (role: string): Answers => new Answers().of(meQuery, { name: "ada", role, command: null } as never);

it("shows a viewer the note alone, and nothing without one", async () => {
  const shown = await drawn(<Note job={aJob({ note: "new cable" })} />, "/jobs/1", me("viewer"));
  expect([shown.querySelector("p")?.textContent, shown.querySelector("button")]).toEqual(["new cable", null]);
  expect((await drawn(<Note job={aJob()} />, "/jobs/1", me("viewer"))).querySelector("p, button")).toBeNull();
});

it("saves the changed note and shows the server's answer", async () => {
  const job = aJob({ note: "new cable" });
  const patch = vi.spyOn(api, "PATCH").mockResolvedValue({ data: { ...job, revision: 2 }, response: new Response() } as never);
  const answers = me("operator").of(jobQuery(1), job);
  const page = await drawn(<Note job={job} />, "/jobs/1", answers);
  const press = (words: string) => act(async () => [...page.querySelectorAll("button")].find(({ textContent }) => textContent === words)?.click());
  await press("Change note");
  expect(page.querySelector("textarea")?.value).toBe("new cable");
  await act(async () => page.querySelector("form")?.requestSubmit());
  await act(() => vi.waitFor(() => expect(page.querySelector("textarea")).toBeNull()));
  expect(patch.mock.calls[0]?.[1]).toMatchObject({ params: { path: { job_id: 1 } }, body: { note: "new cable" } });
  expect(answers.client.getQueryData(jobQuery(1).queryKey)?.revision).toBe(2);
  patch.mockRestore();
});
