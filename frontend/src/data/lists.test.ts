import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { collect, MAX_ITEMS, PAGE } from "./lists";

const KEY = ["list"];

/** A list with this many items, as the API returns it. */
function pagesOf(count: number) {
  return (cursor: string | undefined): Promise<{ items: { id: number }[]; next: string | null }> => {
    const first = Number(cursor ?? 0);
    const end = Math.min(count, first + PAGE);
    const items = Array.from({ length: end - first }, (_, i) => ({ id: first + i }));
    return Promise.resolve({ items, next: end < count ? String(end) : null });
  };
}

it("has the items of all pages, in their order", async () => {
  const items = await collect(new QueryClient(), KEY, pagesOf(2 * PAGE + 1));
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 2 * PAGE + 1 }, (_, i) => i));
  expect(await collect(new QueryClient(), KEY, pagesOf(0))).toEqual([]);
});

it("ends where a page could not draw more", async () => {
  expect(await collect(new QueryClient(), KEY, pagesOf(MAX_ITEMS + 1))).toHaveLength(MAX_ITEMS);
});

it("keeps what the stream has brought meanwhile", async () => {
  const client = new QueryClient();
  client.setQueryData(KEY, [{ id: 1, origin: "live" }, { id: 9 }]);
  expect(await collect(client, KEY, pagesOf(2))).toEqual([{ id: 0 }, { id: 1, origin: "live" }, { id: 9 }]);
});
