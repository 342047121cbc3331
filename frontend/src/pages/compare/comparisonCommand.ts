/** A comparison as commands, as the page shows them to copy. */

/** A command for each job compared with the base job; for a single job its own results. */
export function diffCommands(ids: readonly number[], base: number): string[] {
  const others = ids.filter((id) => id !== base);
  return others.length > 0 ? others.map((id) => `ringscope diff ${base} ${id}`) : [`ringscope why ${base}`];
}

/** The part of each job that is compared; sizes are compared by the server. */
export type ComparedPart = "sizes" | "curve" | "search";

/** The page's request to the server, with curl; the token comes from the environment. */
export function comparisonCurl(ids: readonly number[], base: number, part: ComparedPart, origin: string): string {
  const query = [...ids.map((id) => `job=${id}`), `base=${base}`].join("&");
  const paths = part !== "sizes" ? ids.map((id) => `/jobs/${id}/${part === "curve" ? "training" : part}`) : [`/comparison?${query}`];
  return [`curl -H "Authorization: Bearer $RINGSCOPE_TOKEN"`, ...paths.map((path) => `'${origin}/api/v1${path}'`)].join(" \\\n  ");
}
