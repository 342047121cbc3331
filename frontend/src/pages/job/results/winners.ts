/** The algorithms that clearly beat every other one, and where. The rule is the server's, and the verdict's. */
import type { ClearWinner, MeasurementView } from "../../../api/types";

/** Whether the row's algorithm wins at its size and place. */
export function isWinner(row: Pick<MeasurementView, "algorithm" | "in_place" | "size_bytes">, winners: readonly ClearWinner[]): boolean {
  return winners.some(
    (winner) =>
      winner.algorithm === row.algorithm &&
      winner.in_place === row.in_place &&
      winner.min_bytes <= row.size_bytes &&
      row.size_bytes <= winner.max_bytes,
  );
}
