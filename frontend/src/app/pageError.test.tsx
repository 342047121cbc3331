// @vitest-environment jsdom
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it, vi } from "vitest";
import { drawn } from "../testing/page";
import { CodeNotLoaded } from "../components/lazyPart";
import { lazyPage, loadPages } from "./lazyPage";
import { PageError } from "./PageError";

const live = vi.hoisted(() => ({ outage: null as object | null }));
vi.mock("../data/live", () => ({ useLive: () => live }));

it("names no file if the code of a page could not be loaded, and says when the page opens", async () => {
  const Page = lazyPage(() => Promise.reject<{ Page: () => null }>(new Error("Unable to preload CSS for /assets/Page-1.css")), "Page");
  await Promise.allSettled([Page.preload?.()]);
  expect(() => renderToStaticMarkup(<Page />)).toThrow(CodeNotLoaded);
  const drawnText = async (): Promise<string | undefined> => (await drawn(<PageError error={new CodeNotLoaded()} />, "/")).querySelector("[role=alert]")?.textContent;
  live.outage = null;
  expect(await drawnText()).toBe("The server did not deliver this page.");
  live.outage = {};
  expect(await drawnText()).toBe("The server did not deliver this page. It opens by itself once the server can be reached.");
});

it("says of a page that broke why", async () => {
  const page = await drawn(<PageError error={new Error("Rows are missing.")} />, "/");
  expect(page.querySelector("[role=alert]")?.textContent).toBe("Rows are missing.");
});

it("loads the code of all pages ahead, whatever fails", async () => {
  const load = vi.fn(() => Promise.resolve({ Page: () => null }));
  lazyPage(load, "Page");
  lazyPage(() => Promise.reject<{ Page: () => null }>(new Error("offline")), "Page");
  await loadPages();
  expect(load).toHaveBeenCalledOnce();
});
