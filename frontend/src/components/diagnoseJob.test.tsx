// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../api/client";
import type { JobView } from "../api/types";
import { jobQuery } from "../data/job";
import { meQuery } from "../data/server";
import { aJob } from "../testing/fixtures";
import { Answers, drawn } from "../testing/page";
import DiagnoseJob, { diagnosisOf } from "./DiagnoseJob";

const attempts = (nodes: string[]): JobView["attempts"] => [{ nodes: ["n9"] }, { nodes }] as JobView["attempts"];
const sized = (max_bytes: number): JobView["spec"] => ({ benchmark: { max_bytes } }) as JobView["spec"];

it("takes the nodes of the last attempt, and the largest size within what a diagnosis can send", () => {
  expect(diagnosisOf({ attempts: attempts(["n1", "n2", "n2"]), spec: sized(2 ** 26) })).toEqual({ kind: "diagnosis", diagnosis: { size_bytes: 2 ** 26 }, placement: { node_names: ["n1", "n2"] } });
  expect(diagnosisOf({ attempts: attempts(["n1", "n2"]), spec: sized(8) })?.diagnosis?.size_bytes).toBe(1024);
  expect(diagnosisOf({ attempts: attempts(["n1", "n2"]), spec: {} as JobView["spec"] })?.diagnosis).toEqual({});
  expect(diagnosisOf({ attempts: attempts(["n1"]), spec: sized(8) })).toBeNull();
});

async function shown(role: string): Promise<HTMLElement> {
  const job = aJob({ id: 7, attempts: attempts(["n1", "n2"]) });
  const answers = new Answers().of(jobQuery(7), job).of(meQuery, { name: "ada", role, command: null } as never);
  return drawn(<DiagnoseJob jobId={7} />, "/jobs/7", answers);
}

it("submits it once, whatever the first answer was", async () => {
  const post = vi.spyOn(api, "POST").mockRejectedValueOnce(new Error("The server could not be reached."));
  post.mockResolvedValueOnce({ data: { id: 8 }, response: new Response() } as never);
  const page = await shown("operator");
  const press = () => act(async () => page.querySelector("button")?.click());
  await press();
  expect(page.querySelector("[role=alert]")?.textContent).toContain("The diagnosis was not submitted");
  await press();
  expect(post.mock.calls).toHaveLength(2);
  expect(post.mock.calls[0]).toEqual(post.mock.calls[1]);
  post.mockRestore();
});

it("is no button for a viewer", async () => {
  expect((await shown("viewer")).querySelector("button")).toBeNull();
});
