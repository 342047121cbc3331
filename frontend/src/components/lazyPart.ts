/** Code of the page that loads when it is first needed. A connection that breaks meanwhile must not break the page. */
import { type FunctionComponent, lazy, type LazyExoticComponent } from "react";
import { api, unwrap } from "../api/client";
import { isAnswer } from "../data/outage";

const AGAIN_MS = 1_000;

/** The server does not deliver a part's code. The browser's own error names a file, which tells a user nothing. */
export class CodeNotLoaded extends Error {
  constructor() {
    super("The server did not deliver this part of the page; reload the page.");
  }
}

/** As React's lazy. While the server cannot be reached it waits and tries again. */
export function lazyPart<Props>(load: () => Promise<FunctionComponent<Props>>): LazyExoticComponent<FunctionComponent<Props>> {
  return lazy(async () => ({ default: await untilLoaded(load) }));
}

/** The code, whenever it comes. Throws CodeNotLoaded if the server answers other requests but not this one. */
export async function untilLoaded<Code>(load: () => Promise<Code>): Promise<Code> {
  for (let isReachable = false; ; ) {
    try {
      return await withStyles(load);
    } catch {
      if (isReachable) throw new CodeNotLoaded();
      isReachable = await isServerReachable();
      if (!isReachable) await new Promise((done) => window.setTimeout(done, AGAIN_MS));
    }
  }
}

/** The code with all styles. Vite asks for a stylesheet once: after a failure the code would come without it. */
export async function withStyles<Code>(load: () => Promise<Code>): Promise<Code> {
  const code = await load();
  const links = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
  const there = new Set(links.filter(hasRules).map((link) => link.href));
  await Promise.all(links.filter((link) => !there.has(link.href)).map(loadAnew));
  return code;
}

// After a failure Chromium has a stylesheet whose rules throw an error; other browsers have none.
function hasRules({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet !== null && sheet.cssRules.length >= 0;
  } catch {
    return false;
  }
}

function loadAnew(missing: HTMLLinkElement): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = missing.cloneNode() as HTMLLinkElement;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${link.href} could not be loaded.`));
    };
    missing.after(link);
  });
}

async function isServerReachable(): Promise<boolean> {
  return api.GET("/api/v1/me").then(unwrap).then(() => true, isAnswer);
}
