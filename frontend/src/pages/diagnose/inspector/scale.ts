/** Maps numbers to pixels: the least to the left end, the greatest to the right; a single number to the middle. Pure. */
export function scaleOf(values: readonly number[], left: number, right: number): (value: number) => number {
  const least = values.reduce((low, value) => Math.min(low, value), Infinity);
  const most = values.reduce((high, value) => Math.max(high, value), -Infinity);
  if (!(most > least)) return () => (left + right) / 2;
  return (value) => left + ((value - least) / (most - least)) * (right - left);
}
