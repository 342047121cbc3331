/** Lists that the API returns page by page, joined. */
import type { QueryClient } from "@tanstack/react-query";
import { mergeById } from "./merge";

export const PAGE = 500;
const MAX_PAGES = 20;
/** The most items that are loaded of one list: a page could not draw more; it says so. */
export const MAX_ITEMS = PAGE * MAX_PAGES;

interface Page<T> {
  items: T[];
  next: string | null;
}

/** All pages of an ascending list, merged over what live deltas have already added to the cache. */
export async function collect<T extends { id: number }>(
  client: QueryClient,
  queryKey: readonly unknown[],
  load: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await load(cursor);
    items.push(...answer.items);
    if (answer.next === null) break;
    cursor = answer.next;
  }
  return mergeById(items, client.getQueryData<T[]>(queryKey) ?? []);
}
