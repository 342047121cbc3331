/** How busy a node was in the last minutes, as small curves. Pure. */
import type { NodeReadings, NodeView } from "../../api/types";
import { isOverloaded, loadWords, machines } from "../../lib/nodes";
import { threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";

/** How long the server keeps them. */
export const WINDOW_SECONDS = 300;

export interface Trend {
  name: string;
  /** The newest value. */
  now: string;
  /** The highest one. */
  most: string;
  /** Why the newest value is a problem, in a sentence. */
  warning?: string;
  /** "x,y x,y" between 0 and 1, the newest on the right; "" for fewer than two. */
  points: string;
}

/**
 * GPU readings if the node's GPUs are read, else its cores and memory; empty without readings. `ranks` are all of its
 * machine.
 */
export function trendsOf(node: NodeView, readings: NodeReadings | undefined, ranks = node.slots_busy): Trend[] {
  if (!readings) return [];
  const { inventory } = node;
  const gpuBytes = (inventory.gpus ?? []).reduce((sum, gpu) => sum + gpu.memory_bytes, 0);
  const ofGpus = [
    trend("GPU", readings, readings.gpu_utilization_ratio, 1, percent),
    trend("memory", readings, readings.gpu_memory_used_bytes, gpuBytes, formatSize),
    trend("hottest", readings, readings.gpu_temperature_celsius, 100, (celsius) => `${threeDigits(celsius)} °C`),
  ].filter((found) => found !== null);
  if (ofGpus.length > 0) return ofGpus;
  const load = trend("load", readings, readings.load_average, inventory.cores, threeDigits);
  const newest = readings.load_average.at(-1);
  const isHigh = newest != null && isOverloaded(node, newest, ranks);
  return [
    load && isHigh ? { ...load, warning: `${node.name} has ${loadWords(node, newest)}: other work disturbs what is measured there.` } : load,
    trend("memory", readings, readings.memory_used_bytes, inventory.memory_bytes, formatSize),
  ].filter((found) => found !== null);
}

/** The ranks on the machine of each node, whose load average its agents share, by the node's name. */
export function ranksBeside(nodes: readonly NodeView[]): ReadonlyMap<string, number> {
  return new Map(
    machines(nodes).flatMap((those) => {
      const ranks = those.reduce((sum, { slots_busy: busy }) => sum + busy, 0);
      return those.map(({ name }): [string, number] => [name, ranks]);
    }),
  );
}

/** Whether a node has GPUs and its agent does not read them. */
export function hasUnreadGpus(node: NodeView, readings: NodeReadings | undefined): boolean {
  const isRead = readings?.gpu_utilization_ratio.some((ratio) => ratio !== null) ?? false;
  return (node.inventory.gpus ?? []).length > 0 && !isRead;
}

function trend(
  name: string,
  { age_seconds: ages }: NodeReadings,
  values: readonly (number | null)[],
  full: number,
  inWords: (value: number) => string,
): Trend | null {
  const known = values.flatMap((value, i) => (value === null ? [] : [{ value, age: ages[i] ?? 0 }]));
  const newest = known.at(-1);
  if (!newest) return null;
  const points = known.map(({ value, age }) => `${round(1 - age / WINDOW_SECONDS)},${round(1 - Math.min(1, value / full))}`);
  const most = Math.max(...known.map(({ value }) => value));
  return { name, now: inWords(newest.value), most: inWords(most), points: known.length > 1 && full > 0 ? points.join(" ") : "" };
}

/** The network cards of a node by speed, the fastest first: "8 × 400 Gbit/s, 25 Gbit/s"; virtual interfaces if it has no others. */
export function nicWords(nics: NodeView["inventory"]["nics"]): string {
  const counts = new Map<number, number>();
  const cards = nics.filter((nic) => !nic.is_virtual);
  for (const { speed_mbit_per_s: speed } of cards.length > 0 ? cards : nics) if (speed) counts.set(speed, (counts.get(speed) ?? 0) + 1);
  const known = [...counts].sort(([a], [b]) => b - a);
  if (known.length === 0) return nics.length > 0 ? "speed unknown" : "–";
  return known.map(([speed, count]) => `${count > 1 ? `${count} × ` : ""}${gbit(speed)}`).join(", ");
}

/** "400 Gbit/s", "2.5 Gbit/s". */
export function gbit(mbitPerSecond: number): string {
  return `${mbitPerSecond / 1000} Gbit/s`;
}

function percent(ratio: number): string {
  return `${Math.round(100 * ratio)} %`;
}

function round(value: number): number {
  return Math.round(1000 * value) / 1000;
}
