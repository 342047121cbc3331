/**
 * A build step: the style sheets come behind the skeleton of index.html, which needs none of them and is painted at once;
 * and before the root, in which the theme's own styles stand above theirs. What it loads, it loads from the root of the
 * site, as it is sent for pages at any depth.
 */
import type { Plugin } from "vite";

const SHEET = /\s*<link rel="stylesheet"[^>]*>/g;
const ROOT = /\s*<div id="root">/;

export function skeletonFirst(): Plugin {
  return {
    name: "skeleton-first",
    apply: "build",
    enforce: "post",
    transformIndexHtml: {
      order: "post",
      handler: (html) => {
        const sheets = (html.match(SHEET) ?? []).join("");
        return html.replace(SHEET, "").replace(ROOT, (root) => sheets + root).replaceAll('="./', '="/');
      },
    },
  };
}
