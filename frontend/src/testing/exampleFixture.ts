/** Three ranks that sum 2,4,6 and 1,2,3 and 4,8,12 in a ring, for tests; each message takes 1 µs, and 1 µs to add or keep. */
import type { Example } from "../api/types";

const HELD = [
  [[2, 4, 18], [3, 2, 3], [4, 10, 12]],
  [[2, 14, 18], [3, 2, 21], [7, 10, 12]],
  [[7, 14, 18], [3, 14, 21], [7, 10, 21]],
  [[7, 14, 21], [7, 14, 21], [7, 14, 21]],
];
const START = [[2, 4, 6], [1, 2, 3], [4, 8, 12]];
/** The chunk that rank 0 sends in each step; the ranks after it send the next ones. */
const CHUNK_OF_RANK_0 = [0, 2, 1, 0];

export function aRingOfThree(): Example {
  return {
    collective: "all_reduce",
    algorithm: "ring",
    root: 0,
    element_bytes: 4,
    cluster: {
      shape: "3", link: "1GB/s", latency_us: 1, intra: "nvlink4", nics_per_node: null, oversubscription: 1, reduce_gb_per_s: 10,
    },
    example: {
      ranks: 3,
      chunks: [[0, 1], [1, 1], [2, 1]],
      values: START,
      steps: HELD.map((held, step) => ({
        step,
        phase: step < 2 ? "reduce_scatter" : "all_gather",
        held,
        moves: [0, 1, 2].map((src) => {
          const chunk = ((CHUNK_OF_RANK_0[step] ?? 0) + src) % 3;
          return {
            step,
            phase: step < 2 ? "reduce_scatter" : "all_gather",
            src,
            dst: (src + 1) % 3,
            reduce: step < 2,
            chunks: [chunk],
            into_chunks: [chunk],
            offset: chunk,
            values: [(HELD[step - 1] ?? START)[src]?.[chunk] ?? 0],
            size_bytes: 4,
            start_s: 2e-6 * step,
            arrived_s: 2e-6 * step + 1e-6,
            adding_s: 2e-6 * step + 1e-6,
            end_s: 2e-6 * step + 2e-6,
          };
        }),
      })),
      results: [[7, 14, 21], [7, 14, 21], [7, 14, 21]],
      time_s: 8e-6,
    },
  };
}
