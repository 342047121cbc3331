// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import { api } from "../../../api/client";
import { nodesQuery, seenNow } from "../../../data/nodes";
import { meQuery } from "../../../data/server";
import { aJob, aNode } from "../../../testing/fixtures";
import { Answers, drawn } from "../../../testing/page";
import { MissingNodes } from "./MissingNodes";

const waiting = aJob({ state: "queued", pending: { reason: "slots", sentence: "Waits for more nodes." } as never });
const drained = aNode({ name: "a", desired: "drain", desired_by: "ada", desired_reason: "kernel update" });

function answers(role: string): Answers {
  return new Answers().of(nodesQuery, [seenNow(drained)]).of(meQuery, { name: "bob", role, command: null } as never);
}

it("names the drained node of a waiting job, why it is drained, and resumes it", async () => {
  HTMLDialogElement.prototype.showModal = vi.fn();
  const post = vi.spyOn(api, "POST").mockResolvedValue({ data: { ...drained, desired: "active" }, response: new Response() } as never);
  const page = await drawn(<MissingNodes job={waiting} />, "/jobs/7", answers("operator"));
  expect(page.querySelector("[aria-label='Drained nodes']")?.textContent).toContain("Node a is drained and takes no job. ada: kernel update. Resume …");
  expect(page.querySelector("a")?.getAttribute("href")).toBe("/nodes/a");
  const press = (words: string) => act(async () => [...page.querySelectorAll("button")].find(({ textContent }) => textContent === words)?.click());
  await press("Resume …");
  await press("Resume a");
  expect(post).toHaveBeenCalledWith("/api/v1/nodes/{name}/resume", { params: { path: { name: "a" } } });
  await act(() => vi.waitFor(() => expect(page.querySelector("[aria-label='Drained nodes']")).toBeNull()));
  post.mockRestore();
});

it("offers a viewer the node alone", async () => {
  const page = await drawn(<MissingNodes job={waiting} />, "/jobs/7", answers("viewer"));
  expect(page.querySelector("a")?.textContent).toBe("a");
  expect(page.querySelector("button")).toBeNull();
});
