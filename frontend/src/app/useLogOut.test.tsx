// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);

const DEADLINE_MS = 10_000;

let answer: () => Promise<Response>;
// The client takes the function when it is made.
vi.stubGlobal("fetch", () => answer());

let onDraw: ReturnType<typeof vi.fn<(logOut: { mutate: () => void; error: Error | null }) => void>>;

/** The result. */
async function loggedOut(): Promise<string> {
  const { useLogOut } = await import("./useLogOut");
  onDraw = vi.fn();
  function Drawn() {
    onDraw(useLogOut());
    return null;
  }
  const root = createRoot(document.createElement("div"));
  const client = new QueryClient();
  act(() => root.render(<QueryClientProvider client={client}><Drawn /></QueryClientProvider>));
  await act(async () => {
    onDraw.mock.lastCall?.[0].mutate();
    await vi.waitFor(() => expect(client.getMutationCache().getAll()[0]?.state.status).toMatch(/success|error/), DEADLINE_MS);
  });
  const { error } = onDraw.mock.lastCall?.[0] ?? {};
  act(() => root.unmount());
  return error ? error.message : "logged out";
}

it("says what the server refused, and that it could not be reached", async () => {
  answer = () => Promise.resolve(new Response(JSON.stringify({ detail: "The disk is full." }), { status: 503 }));
  expect(await loggedOut()).toBe("The disk is full.");
  answer = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await loggedOut()).toBe("The server could not be reached; check that it runs, then try again.");
});

it("is no failure where the session is over, in this way or another", async () => {
  answer = () => Promise.resolve(new Response(null, { status: 204 }));
  expect(await loggedOut()).toBe("logged out");
  answer = () => Promise.resolve(new Response("{}", { status: 401 }));
  expect(await loggedOut()).toBe("logged out");
});
