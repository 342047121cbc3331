import { describe, expect, it } from "vitest";
import { decadeRange, decades, heightAt, isCut, isWide, largest, least, linearRange, readableMax, sizeRange, sizeTicks, spreadLabels } from "./axes";

describe("sizeTicks", () => {
  it("labels every power of two when there is room", () => expect(sizeTicks(8, 128, 600)).toEqual([8, 16, 32, 64, 128]));

  it("keeps to a grid when there is not", () => {
    const ticks = sizeTicks(8, 2 ** 26, 500).map(Math.log2);
    expect(ticks).toEqual([3, 6, 9, 12, 15, 18, 21, 24]);
  });

  it("is empty between two powers", () => expect(sizeTicks(9, 15, 600)).toEqual([]));
});

describe("ranges", () => {
  it("gives one size room on both sides and ignores size zero", () => {
    expect(sizeRange([0, 64])).toEqual([32, 128]);
    expect(sizeRange([8, 16, 64])).toEqual([8, 64]);
    expect(sizeRange([0])).toEqual([1, 2]);
  });

  it("starts bandwidth at zero, also without data", () => {
    expect(linearRange(100)).toEqual([0, 108]);
    expect(linearRange(null)).toEqual([0, 1]);
  });

  it("keeps measured lines readable beside a model that promises far more", () => {
    expect(readableMax(10, 70)).toBe(20);
    expect(readableMax(10, 12)).toBe(12);
    expect(readableMax(0, 70)).toBe(70);
    expect(readableMax(0, null)).toBeNull();
  });

  it("are wide from a factor of 1024 on", () => {
    expect([isWide([8, 8192]), isWide([8, 4096])]).toEqual([true, false]);
  });

  it("are left by a model only where it is far above what was measured", () => {
    const [measured, model] = [{ points: [[8, 5]] as const }, { points: [[8, 20]] as const, isModel: true }];
    expect([isCut([measured, model], false), isCut([measured, model], true)]).toEqual([true, true]);
    expect([isCut([measured], false), isCut([model], false)]).toEqual([false, false]);
    expect(isCut([measured, { points: [[8, 9]], isModel: true }], true)).toBe(false);
  });

  it("rounds times to decades", () => {
    expect(decadeRange(2.5, 33_000)).toEqual([1, 100_000]);
    expect(decadeRange(10, 10)).toEqual([10, 100]);
    expect(decadeRange(null, null)).toEqual([1, 10]);
    expect(decades(1, 1000)).toEqual([1, 10, 100, 1000]);
  });
});

describe("heightAt", () => {
  const places = [[0, 100], [10, 50], [30, 90]] as const;
  it("lies on the line", () => expect([0, 5, 20, 30].map((x) => heightAt(places, x))).toEqual([100, 75, 70, 90]));
  it("is nowhere beside its ends", () => {
    expect(heightAt(places, -1)).toBeNull();
    expect(heightAt(places, 31)).toBeNull();
    expect(heightAt([], 5)).toBeNull();
  });
});

it("takes bands into the range of an axis", () => {
  const line = { points: [[8, 5], [16, null]] as const, band: [[8, 2, 9]] as const };
  expect([largest([line]), least([line])]).toEqual([9, 2]);
  expect([largest([]), least([])]).toEqual([0, null]);
});

describe("spreadLabels", () => {
  it("leaves labels alone that do not touch", () => expect(spreadLabels([10, 100], 14, [0, 200])).toEqual([10, 100]));

  it("moves neighbours apart around their middle and keeps their order", () => {
    const [a = 0, b = 0] = spreadLabels([50, 52], 14, [0, 200]);
    expect(b - a).toBe(14);
    expect((a + b) / 2).toBe(51);
  });

  it("moves no label for a crowd far away", () => {
    expect(spreadLabels([5, 150, 151, 152, 153], 14, [0, 200])).toEqual([5, 130.5, 144.5, 158.5, 172.5]);
  });

  it("keeps a crowd at an edge within the plot", () => {
    expect(spreadLabels([198, 199, 200], 14, [0, 200])).toEqual([172, 186, 200]);
    expect(spreadLabels([2, 1, 0], 14, [0, 200])).toEqual([28, 14, 0]);
  });
});
