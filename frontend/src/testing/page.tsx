/** A part of the page drawn in a test, with the server's answers so far; a query without an answer stays pending. */
import { MantineProvider } from "@mantine/core";
import { type DataTag, notifyManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, type ReactElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, vi } from "vitest";
import { api } from "../api/client";
import { ShortcutProvider } from "../components/hooks/shortcuts";
import { parseSearch, stringifySearch } from "../lib/search/search";

/** The pages whose address the tested parts read. */
const PATHS = ["/", "/jobs", "/jobs/$jobId", "/jobs/$jobId/ring", "/compare", "/nodes", "/nodes/$name", "/plan", "/ring", "/diagnose", "/settings/schedules", "/settings/monitoring"];

let root: Root | undefined;

// A request without an answer stays pending, and never reaches a server.
api.use({ onRequest: () => new Promise(() => undefined) });

// Updates of queries are drawn within act().
notifyManager.setScheduler(queueMicrotask);

afterEach(() => {
  act(() => root?.unmount());
  root = undefined;
  document.body.replaceChildren();
  localStorage.clear();
});

/** The answer of a query, or its error. */
export class Answers {
  readonly client = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: false, staleTime: Infinity } } });

  of<T>({ queryKey }: { queryKey: DataTag<readonly unknown[], T, Error> | readonly unknown[] }, data: T): this {
    this.client.setQueryData(queryKey, data);
    return this;
  }

  async failing({ queryKey }: { queryKey: readonly unknown[] }, message: string): Promise<this> {
    this.client.removeQueries({ queryKey, exact: true });
    await this.client.prefetchQuery({ queryKey, queryFn: () => Promise.reject(new Error(message)) });
    return this;
  }
}

class NoSizes {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** Draws an element at an address such as "/jobs/7?view=table", in a window that is narrower than all steps by default. */
export async function drawn(element: ReactElement, url: string, { client }: Answers = new Answers(), widthPx = 0): Promise<HTMLElement> {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const matches = (query: string): boolean => Number(/width >= (\d+)px/.exec(query)?.[1] ?? Infinity) <= widthPx;
  vi.stubGlobal("matchMedia", (query: string) => ({ matches: matches(query), addEventListener: () => undefined, removeEventListener: () => undefined }));
  vi.stubGlobal("ResizeObserver", NoSizes);
  vi.stubGlobal("scrollTo", () => undefined);
  const top = createRootRoute();
  const params = { parse: readParams, stringify: writeParams };
  const routes = PATHS.map((path) => createRoute({ getParentRoute: () => top, path, params, component: () => element }));
  const history = createMemoryHistory({ initialEntries: [url] });
  const router = createRouter({ routeTree: top.addChildren(routes), history, parseSearch, stringifySearch });
  await router.load();
  if (router.state.matches.length < 2) throw new Error(`No page of the tests is at ${url}; add its path to PATHS in testing/page.tsx.`);
  const place = document.createElement("main");
  document.body.append(place);
  root = createRoot(place);
  await act(async () =>
    root?.render(
      <MantineProvider>
        <QueryClientProvider client={client}>
          <ShortcutProvider>
            <RouterProvider router={router as never} />
          </ShortcutProvider>
        </QueryClientProvider>
      </MantineProvider>,
    ),
  );
  return place;
}

/** The numbers of jobs in an address are numbers for the pages. */
function readParams(params: Record<string, string>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, name === "jobId" ? Number(text) : text]));
}

function writeParams(params: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
