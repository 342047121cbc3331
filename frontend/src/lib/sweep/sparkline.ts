/** A small curve of bus bandwidth over sizes, as points of an SVG. Pure. */
import type { SizeBusbw } from "../../api/types";
import { threeDigits } from "../format";
import { formatSize } from "../size";

type SizePoint = Pick<SizeBusbw, "size_bytes" | "busbw_gb_per_s">;

/** "x,y x,y": sizes on a logarithmic axis from left to right, bandwidth from 0 at the bottom; "" for fewer than two. */
export function sparkPoints(sizes: readonly SizePoint[], width: number, height: number): string {
  const drawn = sizes.filter((one) => one.size_bytes > 0);
  const [first, last] = [drawn[0], drawn.at(-1)];
  const most = Math.max(...drawn.map((one) => one.busbw_gb_per_s));
  if (!first || !last || first.size_bytes === last.size_bytes || !(most > 0)) return "";
  const decades = Math.log2(last.size_bytes / first.size_bytes);
  return drawn
    .map((one) => {
      const x = (width * Math.log2(one.size_bytes / first.size_bytes)) / decades;
      return `${round(x)},${round(height * (1 - one.busbw_gb_per_s / most))}`;
    })
    .join(" ");
}

/** The same in words, with the caveats of its numbers. */
export function sparkLabel(sizes: readonly SizePoint[], words: readonly string[]): string {
  const ends = [sizes[0], sizes.at(-1)].flatMap((one) => (one ? [`${threeDigits(one.busbw_gb_per_s)} GB/s at ${formatSize(one.size_bytes)}`] : []));
  return `Bus bandwidth over sizes: ${[ends.join(" to "), ...words].join(", ")}`;
}

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
