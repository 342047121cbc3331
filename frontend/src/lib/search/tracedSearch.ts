/** Which operation of a job the ring shows: the one that the URL names, out of the traced ones. */
import type { TracedOperation } from "../../api/types";
import { type PlaySearch, playSearch } from "./playSearch";

export interface TracedSearch extends PlaySearch {
  /** In bytes; the largest when absent. */
  size?: string;
  /** As the job names it; the first when absent. */
  algorithm?: string;
  in_place?: "true" | "false";
}

export function tracedSearch(search: Record<string, unknown>): TracedSearch {
  const { size, algorithm, in_place: inPlace } = search;
  return {
    ...(/^\d{1,15}$/.test(String(size)) && { size: String(size) }),
    ...(typeof algorithm === "string" && /^\w{1,100}$/.test(algorithm) && { algorithm }),
    ...((inPlace === "true" || inPlace === "false") && { in_place: inPlace }),
    ...playSearch(search),
  };
}

/** The part of the URL that names an operation. */
export function searchOf({ size_bytes, algorithm, in_place }: Pick<TracedOperation, "size_bytes" | "algorithm" | "in_place">): TracedSearch {
  return { size: String(size_bytes), algorithm, in_place: in_place ? "true" : "false" };
}

export interface TraceOptions {
  chosen: TracedOperation | null;
  /** Whether it is the one that the URL names; else there is none, and this is the nearest. */
  isAsked: boolean;
  algorithms: string[];
  /** The choices of place for the chosen algorithm. */
  places: boolean[];
  /** The sizes for the chosen algorithm and place, ascending. */
  sizes: number[];
}

/** The operation that the URL names, if it exists; for what the URL leaves open: the largest, the first of these. */
export function traceOptions(items: readonly TracedOperation[], search: TracedSearch): TraceOptions {
  const wanted = [
    (item: TracedOperation) => search.algorithm === undefined || item.algorithm === search.algorithm,
    (item: TracedOperation) => search.in_place === undefined || String(item.in_place) === search.in_place,
    (item: TracedOperation) => search.size === undefined || String(item.size_bytes) === search.size,
  ];
  const nearest = wanted.reduce<readonly TracedOperation[]>((left, fits) => {
    const found = left.filter(fits);
    return found.length > 0 ? found : left;
  }, items);
  const chosen = nearest.reduce<TracedOperation | null>((best, item) => (item.size_bytes > (best?.size_bytes ?? -1) ? item : best), null);
  const ofAlgorithm = items.filter((item) => item.algorithm === chosen?.algorithm);
  return {
    chosen,
    isAsked: chosen !== null && wanted.every((fits) => fits(chosen)),
    algorithms: unique(items.map((item) => item.algorithm)),
    places: unique(ofAlgorithm.map((item) => item.in_place)),
    sizes: unique(ofAlgorithm.filter((item) => item.in_place === chosen?.in_place).map((item) => item.size_bytes)).sort((a, b) => a - b),
  };
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
