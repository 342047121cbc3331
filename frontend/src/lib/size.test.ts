import { describe, expect, it } from "vitest";
import { formatSize, parseSize, sizeWriter, sweepSizes } from "./size";
import examples from "./sizes.json";

describe("parseSize", () => {
  it.each(Object.entries(examples.read))("reads %j as %d bytes", (text, bytes) => expect(parseSize(text)).toBe(bytes));
  it.each(examples.refused)("refuses %j", (text) => expect(parseSize(text)).toBeNull());
});

describe("formatSize", () => {
  it.each(Object.entries(examples.written))("writes %s as %s", (bytes, text) => expect(formatSize(Number(bytes))).toBe(text));

  it("gives the bytes themselves when a unit would round them", () => {
    expect(formatSize(1000, true)).toBe("1000 B");
    expect(formatSize(1025, true)).toBe("1025 B");
    expect(parseSize(formatSize(67_108_864, true))).toBe(67_108_864);
  });
});

describe("sizeWriter", () => {
  it.each(Object.entries(examples.written_decimal))("writes %s as %s after a decimal size", (bytes, text) => expect(sizeWriter("1.2GB")(Number(bytes))).toBe(text));

  it("keeps binary units after a binary size, bytes and any other text", () => {
    for (const typed of ["64M", "64MiB", "4096", "8 B", ""]) expect(sizeWriter(typed)(1.2e9)).toBe("1.12 GiB");
  });
});

describe("sweepSizes", () => {
  it("adds up to the largest size, from zero too", () => expect(sweepSizes(0, 70, { bytes: 32 })).toEqual([0, 32, 64]));
  it("lists no endless sweep", () => expect(sweepSizes(0, 2 ** 36, { bytes: 1 })).toEqual([]));
  it("multiplies up to the largest size", () => expect(sweepSizes(8, 70, { factor: 2 })).toEqual([8, 16, 32, 64]));
  it("measures size zero once", () => expect(sweepSizes(0, 64, { factor: 2 })).toEqual([0]));
  it("is empty for a range or factor that makes no sweep", () => {
    expect(sweepSizes(64, 8, { factor: 2 })).toEqual([]);
    expect(sweepSizes(8, 64, { factor: 1 })).toEqual([]);
    expect(sweepSizes(8, 64, { factor: Number.NaN })).toEqual([]);
  });
});
