// @vitest-environment jsdom
import { beforeEach, expect, it, vi } from "vitest";

const DEADLINE_MS = 10_000;

let isSomebody: boolean;
const asked: string[] = [];

// The client takes the function when it is made.
vi.stubGlobal("fetch", (request: Request) => {
  const { pathname } = new URL(request.url);
  asked.push(pathname.replace("/api/v1", ""));
  if (!isSomebody) return Promise.resolve(Response.json({ detail: "Log in." }, { status: 401 }));
  return Promise.resolve(Response.json(pathname.endsWith("/me") ? { name: "ada" } : { items: [] }));
});

beforeEach(() => {
  asked.length = 0;
});

/** Checks that exactly these are requested, and answers them. */
async function isAsked(paths: string[]): Promise<void> {
  const { client } = await import("./client");
  await vi.waitFor(() => {
    expect(asked).toEqual(paths);
    expect(client.isFetching()).toBe(0);
  }, DEADLINE_MS);
}

async function enter(cause: "preload" | "enter" | "stay"): Promise<void> {
  const { ahead } = await import("./ahead");
  const { nodesQuery } = await import("../data/nodes");
  ahead(cause, (client) => [client.prefetchQuery(nodesQuery)]);
}

it("asks for nothing if a link is only pointed at, and for nothing again on an open page", async () => {
  isSomebody = true;
  await enter("preload");
  await enter("stay");
  expect(asked).toEqual([]);
});

it("asks only who the user is if the server does not know", async () => {
  isSomebody = false;
  await enter("enter");
  await isAsked(["/me"]);
});

it("asks for the page's data as soon as the user is known", async () => {
  isSomebody = true;
  await enter("enter");
  await isAsked(["/me", "/nodes"]);
});
