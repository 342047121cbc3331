// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from "vitest";

/** The server's answer to each job's cancel, by its number; undefined: it cannot be reached. */
let answers: Record<number, { status: number; body: object }>;
let asked: number[];

// The client takes the function when it is made.
const fetched = vi.fn((request: Request): Promise<Response> => {
  const id = Number(/jobs\/(\d+)\/cancel$/.exec(request.url)?.[1]);
  asked.push(id);
  const answer = answers[id];
  if (!answer) return Promise.reject(new TypeError("Failed to fetch"));
  return Promise.resolve(new Response(JSON.stringify(answer.body), { status: answer.status, headers: { "content-type": "application/json" } }));
});

let cancelJobs: (ids: readonly number[]) => Promise<void>;

beforeEach(async () => {
  asked = [];
  vi.stubGlobal("fetch", fetched);
  ({ cancelJobs } = await import("./cancel"));
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it("cancels all of them, also where one has ended meanwhile", async () => {
  const ended = { status: 409, body: { detail: "Job 2 has already ended; there is nothing to cancel." } };
  answers = { 1: { status: 202, body: {} }, 2: ended, 3: { status: 202, body: {} } };
  await cancelJobs([1, 2, 3]);
  expect(asked).toEqual([1, 2, 3]);
});

it("names those that were not cancelled, and why", async () => {
  answers = { 1: { status: 403, body: { detail: "This needs the role operator." } }, 3: { status: 202, body: {} } };
  await expect(cancelJobs([1, 2, 3])).rejects.toThrow("Job 1: This needs the role operator. Job 2: the server could not be reached.");
  expect(asked).toEqual([1, 2, 3]);
});
