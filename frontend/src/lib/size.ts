/** Message sizes: read in binary and decimal units, written in IEC ones (KiB = 1024). */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;
const DECIMAL_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;
const PREFIXES = ["", "k", "m", "g", "t"];
const SIZE = /^\s*(\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})\s*(?:([kmgt])(i?))?(b?)\s*$/i;

/** Bytes: "16M" and "16 MiB" are binary, "16 MB" is decimal, as the command line reads them (units.py; the tests of both
 * read sizes.json); null for any other text. */
export function parseSize(text: string): number | null {
  const match = SIZE.exec(text);
  if (!match) return null;
  const isBinary = Boolean(match[3]) || !match[4];
  return Math.round(Number(match[1]) * (isBinary ? 1024 : 1000) ** PREFIXES.indexOf((match[2] ?? "").toLowerCase()));
}

/** "16 MiB" for 16777216; three significant digits (all digits of whole numbers), as units.py writes them, unless `exact`. */
export function formatSize(bytes: number, exact = false): string {
  return written(bytes, 1024, UNITS, exact);
}

/** Writes sizes in the units of the one that a person typed: decimal ones after "1.2GB", else binary ones. */
export function sizeWriter(typed: string): (bytes: number) => string {
  const match = SIZE.exec(typed);
  const isDecimal = Boolean(match?.[2] && !match[3] && match[4]);
  return isDecimal ? (bytes) => written(bytes, 1000, DECIMAL_UNITS) : (bytes) => formatSize(bytes);
}

function written(bytes: number, base: number, units: readonly string[], exact = false): string {
  let value = bytes;
  let unit = 0;
  while (value >= base && unit < units.length - 1) {
    value /= base;
    unit += 1;
  }
  if (exact && !Number.isInteger(value)) return `${bytes} B`;
  const scale = 10 ** Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, value))));
  return `${Math.floor(value * scale + 0.5) / scale} ${units[unit]}`;
}

/** The step from size to size: times a factor, or plus a number of bytes. */
export type SizeStep = { factor: number } | { bytes: number };

/** The most sizes that are listed: the server accepts no longer sweep either. */
const MAX_SIZES = 50_000;

/** The sizes of a sweep, b, b·f, b·f² … or b, b+i, b+2i … up to e, as the server steps them; empty if there are none. */
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
