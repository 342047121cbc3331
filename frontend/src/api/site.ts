/** Where this site is mounted: at the root, or below a path that a proxy adds. */

/** That path, such as "/ringscope", from the address of this script; "" at the root. */
export const ROOT = import.meta.env.DEV ? "" : rootOf(import.meta.url);

/** The path of the site whose script lies at `script`, in a folder of its own. Pure. */
export function rootOf(script: string): string {
  return new URL("..", script).pathname.replace(/\/$/, "");
}

/** The address under which this browser reaches the site, such as "https://host/ringscope". */
export function site(): string {
  return window.location.origin + ROOT;
}
