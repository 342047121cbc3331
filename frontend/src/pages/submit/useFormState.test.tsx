// @vitest-environment jsdom
import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from "@tanstack/react-router";
import { act, useState } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FormSearch, formSearch, withChanges } from "../../lib/form/formSearch";
import { parseSearch, stringifySearch } from "../../lib/search/search";
import { useFormState } from "./useFormState";

vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
vi.stubGlobal("scrollTo", () => undefined);

const DEADLINE_MS = 10_000;

interface Drawing {
  form: { name: string; ranks: string };
  change: (values: { name?: string; ranks?: string }) => void;
  opening: number;
  /** The same object as long as this is the same form on the page. */
  mounted: object;
}

let onDraw: ReturnType<typeof vi.fn<(drawing: Drawing) => void>>;

function Drawn() {
  const state = useFormState({ name: "old", ranks: "4" }, open, ["ranks"]);
  const [mounted] = useState({});
  onDraw({ ...state, mounted });
  return null;
}

const shown = (): Drawing => onDraw.mock.lastCall?.[0] as Drawing;
const type = (name: string): void => act(() => shown().change({ name }));

function open(search: FormSearch) {
  return withChanges({ name: "old", ranks: "4" }, search);
}

function aRouter(first: string) {
  const root = createRootRoute({ component: Outlet });
  const form = createRoute({ getParentRoute: () => root, path: "/jobs/new", validateSearch: formSearch, component: Drawn });
  const history = createMemoryHistory({ initialEntries: [first] });
  const jobs = createRoute({ getParentRoute: () => root, path: "/jobs", loader: () => loading.promise, component: () => null });
  return createRouter({ routeTree: root.addChildren([form, jobs]), history, parseSearch, stringifySearch });
}

let loading: { promise: Promise<void>; end: () => void };
let root: Root;
let router: ReturnType<typeof aRouter>;

async function visit(first: string): Promise<void> {
  router = aRouter(first);
  await act(async () => {
    await router.load();
    root.render(<RouterProvider router={router as never} />);
  });
}

/** Waits until a condition holds for what was drawn. */
async function until(holds: () => void): Promise<void> {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false); // the form's own timer draws it
  await vi.waitFor(holds, DEADLINE_MS);
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
}

const address = (): string => router.history.location.href;

beforeEach(() => {
  onDraw = vi.fn();
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  loading = { promise, end };
  root = createRoot(document.createElement("div"));
});

afterEach(() => {
  act(() => root.unmount());
});

test("what is typed is in the URL, and fields that hang on the cluster with it", async () => {
  await visit("/jobs/new?from=42");
  type("new");
  expect(shown().form.name).toBe("new");
  await until(() => expect(address()).toBe("/jobs/new?from=42&name=new&ranks=4"));
  type("");
  await until(() => expect(address()).toBe("/jobs/new?from=42&name=&ranks=4"));
  expect(open(formSearch(parseSearch("?from=42&name=&ranks=4")))).toEqual({ name: "", ranks: "4" });
});

test("typing fast neither reopens the form nor drops a letter", async () => {
  await visit("/jobs/new");
  const { mounted } = shown();
  for (const name of ["a", "ab", "abc", "ab", "abcd"]) type(name);
  await until(() => expect(address()).toBe("/jobs/new?name=abcd&ranks=4"));
  await act(async () => router.invalidate());
  expect(shown()).toMatchObject({ form: { name: "abcd", ranks: "4" }, opening: 0 });
  expect(shown().mounted).toBe(mounted);
});

test("another address is another form, and the way back leads to what was typed", async () => {
  await visit("/jobs/new");
  type("night");
  await until(() => expect(address()).toBe("/jobs/new?name=night&ranks=4"));
  await act(async () => router.navigate({ href: "/jobs/new" }));
  await until(() => expect(shown()).toMatchObject({ form: { name: "old" }, opening: 1 }));
  act(() => router.history.back());
  await until(() => expect(shown()).toMatchObject({ form: { name: "night" }, opening: 2 }));
});

test("whoever leaves a field finds what was typed in the URL at once", async () => {
  await visit("/jobs/new");
  type("night");
  await act(async () => void dispatchEvent(new FocusEvent("focusout")));
  expect(address()).toBe("/jobs/new?name=night&ranks=4");
});

test("a page that is about to open is not taken back by what was typed before", async () => {
  await visit("/jobs/new");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  type("night");
  act(() => void router.navigate({ href: "/jobs" }));
  act(() => void vi.advanceTimersByTime(1000));
  vi.useRealTimers();
  loading.end();
  await until(() => expect(router.state.status).toBe("idle"));
  expect(address()).toBe("/jobs");
});
