/** A price of the cost model in words. */
import type { Price } from "../../api/types";
import { formatSeconds } from "../../lib/amount";

/** Its time, marked if that is an upper bound. */
export function priceInWords(price: Pick<Price, "time_s" | "is_bound">): string {
  return `${price.is_bound ? "at most " : ""}${formatSeconds(price.time_s)}`;
}
