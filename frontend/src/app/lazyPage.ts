/** Pages whose code loads when they are first needed, or ahead of that while the browser has nothing else to do. */
import { lazyRouteComponent } from "@tanstack/react-router";
import { CodeNotLoaded, withStyles } from "../components/lazyPart";

const pages: { preload?: () => Promise<unknown> | undefined }[] = [];

/** As TanStack's lazyRouteComponent; a failure is a CodeNotLoaded. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => {
  const page = lazyRouteComponent(
    () =>
      withStyles(load).catch(() => {
        throw new CodeNotLoaded();
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
