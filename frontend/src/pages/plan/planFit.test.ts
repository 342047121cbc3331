import { expect, it } from "vitest";
import type { JobFit, Residual } from "../../api/types";
import { errorRange, fitFields, offByInWords } from "./planFit";

function aResidual(change: Partial<Residual> = {}): Residual {
  return { collective: "all_reduce", algorithm: "ring", ranks: 8, size_bytes: 1024, measured_us: 10, model_us: 11, log_ratio: Math.log(1.1), ...change };
}

it("takes ranks, nodes and algorithms from the rows", () => {
  const residuals = [aResidual(), aResidual({ algorithm: "direct" }), aResidual({ collective: "broadcast", algorithm: "tree" })];
  const fit = { ranks: 8, ranks_per_node: 1, residuals } as unknown as JobFit;
  expect(fitFields(fit)).toEqual({ n: "8", algorithms: "direct,ring", collective: "all_reduce" });
  expect(fitFields({ ...fit, ranks_per_node: 4 }).n).toBe("2x4");
});

it("writes errors with their sign, and ends their axis on a round figure", () => {
  expect([1.1, 0.9, 1.0001].map((ratio) => offByInWords(aResidual({ log_ratio: Math.log(ratio) })))).toEqual(["+10.0 %", "−10.0 %", "0 %"]);
  expect(errorRange([])).toBeCloseTo(0.05);
  expect(errorRange([aResidual(), aResidual({ log_ratio: Math.log(0.7) })])).toBeCloseTo(0.5);
});
