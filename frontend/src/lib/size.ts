/** Message sizes: IEC units (KiB = 1024), as nccl-tests reads and people write them. */

const UNITS = ["B", "KiB", "MiB", "GiB"] as const;
const POWERS: Record<string, number> = { "": 0, K: 1, M: 2, G: 3 };

/** Bytes for "8", "64M", "16 MiB" or "1.5g", as the command line reads them; null for any other text. */
export function parseSize(text: string): number | null {
  const match = /^\s*(-?\d*\.?\d+)\s*(?:([kmg])(?:i?b)?|b)?\s*$/i.exec(text);
  if (!match) return null;
  const power = POWERS[match[2]?.toUpperCase() ?? ""] ?? 0;
  const bytes = Number(match[1]) * 1024 ** power;
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** "16 MiB" for 16777216; at most three significant digits unless `exact`. */
export function formatSize(bytes: number, exact = false): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  if (exact && !Number.isInteger(value)) return `${bytes} B`;
  const digits = Number.isInteger(value) ? 0 : Math.max(0, 2 - Math.floor(Math.log10(value)));
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** From size to size: times a factor, or plus so many bytes. */
export type SizeStep = { factor: number } | { bytes: number };

/** As many sizes are listed at most: the server takes no longer sweep either. */
const MAX_SIZES = 50_000;

/** The sizes of a sweep, b, b·f, b·f² … or b, b+i, b+2i … up to e, as the server steps them; empty when there are none. */
export function sweepSizes(minBytes: number, maxBytes: number, step: SizeStep): number[] {
  const isStep = "factor" in step ? step.factor >= 2 : step.bytes >= 1 && (maxBytes - minBytes) / step.bytes < MAX_SIZES;
  if (!(minBytes >= 0) || !isStep) return [];
  const sizes: number[] = [];
  for (let size = minBytes; size <= maxBytes; size = "factor" in step ? size * step.factor : size + step.bytes) {
    sizes.push(size);
    if (size === 0 && "factor" in step) break;
  }
  return sizes;
}

/** The step of a specification. */
export function stepOf(benchmark: { step_factor?: number | null; step_bytes?: number | null }): SizeStep {
  return benchmark.step_bytes == null ? { factor: benchmark.step_factor ?? 2 } : { bytes: benchmark.step_bytes };
}
