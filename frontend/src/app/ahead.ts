/** Asks for what a page shows while its code still comes, where somebody opens it who may see it. */
import type { QueryClient } from "@tanstack/react-query";
import { meQuery } from "../data/server";
import { client } from "./client";

/** For a route's loader. Nothing waits for it: the page asks for the same, and says itself what could not be had. */
export function ahead(cause: "preload" | "enter" | "stay", ask: (client: QueryClient) => Promise<void>[]): void {
  // Who points at a link may never follow it, and a page that is open has asked.
  if (cause !== "enter") return;
  void client.ensureQueryData(meQuery).then(() => ask(client), () => undefined);
}
