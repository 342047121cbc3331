/** Where this site lies at its address: at the root, or below a path that a proxy has put before it. */

/** That path, such as "/ringscope", as the address of this script tells it; "" at the root. */
export const ROOT = import.meta.env.DEV ? "" : rootOf(import.meta.url);

/** The path of the site whose script lies at `script`, in a folder of its own. Pure. */
export function rootOf(script: string): string {
  return new URL("..", script).pathname.replace(/\/$/, "");
}

/** The address under which this browser reaches the site, such as "https://host/ringscope". */
export function site(): string {
  return window.location.origin + ROOT;
}
