/** Pages whose code loads when they are first needed, or ahead of that while the browser has nothing else to do. */
import { lazyRouteComponent } from "@tanstack/react-router";

/** The code of a page could not be loaded. The browser's own error names a file, which tells a user nothing. */
export class PageNotLoaded extends Error {}

const pages: { preload?: () => Promise<unknown> | undefined }[] = [];

/** As TanStack's lazyRouteComponent; a failure is a PageNotLoaded. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => {
  const page = lazyRouteComponent(
    () =>
      load().catch(() => {
        throw new PageNotLoaded();
      }),
    name,
  );
  pages.push(page);
  return page;
};

/** Loads the code of every page, so that each opens while the server cannot be reached. A failure shows where the page is drawn. */
export function loadPages(): Promise<unknown> {
  return Promise.allSettled(pages.map((page) => page.preload?.()));
}
