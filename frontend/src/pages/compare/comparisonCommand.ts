/** A comparison for a terminal, as the page shows it to copy. */

/** A command for each job beside the base job; of one job alone what there is of it. */
export function diffCommands(ids: readonly number[], base: number): string[] {
  const others = ids.filter((id) => id !== base);
  return others.length > 0 ? others.map((id) => `ringscope diff ${base} ${id}`) : [`ringscope why ${base}`];
}

/** What the page asks the server, with curl; the token comes from the environment. */
export function comparisonCurl(ids: readonly number[], base: number, isTraining: boolean, origin: string): string {
  const query = [...ids.map((id) => `job=${id}`), `base=${base}`].join("&");
  const paths = isTraining ? ids.map((id) => `/jobs/${id}/curve`) : [`/comparison?${query}`];
  return [`curl -H "Authorization: Bearer $RINGSCOPE_TOKEN"`, ...paths.map((path) => `'${origin}/api/v1${path}'`)].join(" \\\n  ");
}
