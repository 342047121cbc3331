import { describe, expect, it } from "vitest";
import { wrapped } from "./picture";

describe("a text in a picture", () => {
  it("is broken between words where a line would be too long", () => {
    expect(wrapped("ring is twice as fast as mpi", (line) => line.length <= 10)).toEqual(["ring is", "twice as", "fast as", "mpi"]);
  });

  it("keeps a word that is too long for any line whole", () => {
    expect(wrapped("a reduce_scatter b", (line) => line.length <= 6)).toEqual(["a", "reduce_scatter", "b"]);
  });
});
