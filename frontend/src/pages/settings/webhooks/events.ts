/** The patterns by which a webhook chooses events: a type, all of a noun, or all. Pure. */
import type { DeliveryView, EventType } from "../../../api/types";
import { formatDateTime } from "../../../lib/format";

export const ALL_EVENTS = "*";

/** The types by their noun, in the server's order. */
export function byNoun(types: readonly EventType[]): [string, EventType[]][] {
  const nouns = [...new Set(types.map(nounOf))];
  return nouns.map((noun) => [noun, types.filter((type) => nounOf(type) === noun)]);
}

function nounOf({ type }: EventType): string {
  return type.split(".")[0] ?? type;
}

/** Whether a wider pattern that is chosen has all events of this one. */
export function isCovered(pattern: string, chosen: ReadonlySet<string>): boolean {
  if (pattern === ALL_EVENTS) return false;
  const ofNoun = `${pattern.split(".")[0] ?? ""}.*`;
  return chosen.has(ALL_EVENTS) || (pattern !== ofNoun && chosen.has(ofNoun));
}

/** A sentence about the outcome of a test message; without a delivery or before its first try, that it is being sent. */
export function testInWords(delivery: DeliveryView | undefined): string {
  if (delivery?.state === "delivered") return `The receiver answered the test message with status ${delivery.last_status ?? ""}.`;
  if (!delivery?.last_error) return "The test message is being sent …";
  const again = delivery.next_attempt_at ? ` The server tries again at ${formatDateTime(delivery.next_attempt_at)}.` : "";
  return `The test message was not delivered. ${delivery.last_error}${again}`;
}
