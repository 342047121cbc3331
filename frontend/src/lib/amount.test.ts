import { describe, expect, it } from "vitest";
import { digits, formatSeconds, parseRate, parseSeconds, typedDigits } from "./amount";

describe("parseRate", () => {
  it.each([["1GB/s", 1e9], ["1 GiB/s", 2 ** 30], ["10Gbit/s", 1.25e9], ["10Gbps", 1.25e9], ["80Mb/s", 1e7]])(
    "reads %s",
    (text, rate) => expect(parseRate(text)).toBe(rate),
  );
  it.each(["ib200", "0GB/s", "1GB"])("does not read %s", (text) => expect(parseRate(text)).toBeNull());
});

it("reads durations", () => {
  expect(["5us", "1.5 ms", "0", "2s"].map(parseSeconds)).toEqual([5e-6, 1.5e-3, 0, 2]);
  expect(parseSeconds("soon")).toBeNull();
});

it("writes times and rates with three digits", () => {
  expect([2.16, 0.0833, 39.61e-6, 0, 1764].map(formatSeconds)).toEqual(["2.16 s", "83.3 ms", "39.6 µs", "0 µs", "1,764 s"]);
  expect([0.5, 10, 100.4, 0.000_123].map(digits)).toEqual(["0.5", "10", "100", "0.000123"]);
});

it("types numbers so that they can be read again", () => {
  expect([0.5, 1000, 12_345.6].map(typedDigits)).toEqual(["0.5", "1000", "12346"]);
  expect(parseRate(`${typedDigits(1000)}GB/s`)).toBe(1e12);
});
