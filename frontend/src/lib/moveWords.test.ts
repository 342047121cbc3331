import { describe, expect, it } from "vitest";
import { aRingOfThree } from "../testing/exampleFixture";
import { runOf } from "./moves";
import { endInWords, moveInWords, resultInWords, stepInWords } from "./moveWords";

const run = runOf(aRingOfThree());

describe("words", () => {
  it("describe a step with its numbers, bytes and time", () => {
    expect(stepInWords(run, 0)).toBe("Before step 1 of 4: every rank holds its own input.");
    expect(stepInWords(run, 1)).toBe(
      "Step 1 of 4, reduce-scatter: rank 0 sends 2 (chunk 0) to rank 1, which adds it; rank 1 sends 2 (chunk 1) to rank 2, which adds it; " +
        "rank 2 sends 12 (chunk 2) to rank 0, which adds it. Each at most 4 B, 2 µs.",
    );
  });

  it("leave out numbers that are not known, and say what was predicted", () => {
    const [move] = run.steps[0] ?? [];
    if (!move) throw new Error("the example has moves");
    const measured = { ...move, values: null, chunks: [0, 1, 2], bytes: 4 << 20, endUs: 182, predictedUs: 175 };
    expect(moveInWords(measured)).toBe("rank 0 sends chunks 0 to 2 to rank 1, which adds it");
    expect(stepInWords({ ...run, steps: [[measured]] }, 1)).toContain("That is 4 MiB, 182 µs, predicted 175 µs.");
  });
});

describe("the end in words", () => {
  it("contains the numbers if they are known", () => {
    expect(resultInWords([[7, 14], [7, 14]])).toBe("Every rank ends with 7, 14.");
    expect(resultInWords([[7], []])).toBe("Rank 0 ends with 7; Rank 1 ends with nothing.");
  });

  it("says that everything is complete only where it is", () => {
    expect(endInWords(run, true)).toBe("Complete: every chunk on every rank holds the inputs of all 3 ranks.");
    expect(endInWords({ ...run, steps: run.steps.slice(0, 2) }, true)).toBe("Complete: 3 of 9 cells of the matrix, which hold the inputs of all 3 ranks.");
  });

  it("leaves out chunks without an element, which are not sent", () => {
    const chunks = [...run.chunks, [3, 0] as const];
    expect(endInWords({ ...run, chunks }, true)).toContain("every chunk on every rank");
  });

  it("counts nothing where nothing is combined, or the chunks are not known", () => {
    expect([endInWords(run, false), endInWords({ ...run, chunks: [] }, true)]).toEqual(Array(2).fill("Every message has arrived."));
  });
});
