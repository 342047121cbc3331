/** Asks for a page's data while its code still loads, if the user may see that page. */
import type { QueryClient } from "@tanstack/react-query";
import { meQuery } from "../data/server";
import { client } from "./client";

/** For a route's loader. Nothing waits for it: the page asks for the same data, and reports errors itself. */
export function ahead(cause: "preload" | "enter" | "stay", ask: (client: QueryClient) => Promise<void>[]): void {
  // A link under the pointer may never be followed, and an open page has already asked.
  if (cause !== "enter") return;
  void client.ensureQueryData(meQuery).then(() => ask(client), () => undefined);
}
