/** The newest step of each rank, the mean of some, and bars of the last ones; a row for each rank. */
import type { ReactNode } from "react";
import type { NewestSteps as Newest, StepBlock } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { StepBars } from "./StepBars";
import { Swatch } from "../../../components/marks/Swatch";
import { formatCount, threeDigits } from "../../../lib/format";
import { kindWords, longestUs } from "../../../lib/steps";
import classes from "./StepsTable.module.css";

export function StepsTable({ newest: { items }, isTraining }: { newest: Newest; isTraining: boolean }) {
  const mostUs = longestUs(items);
  return (
    <Frame isTraining={isTraining}>
      {items.map((block) => (
        <tr key={block.rank}>
          <th scope="row">{block.rank}</th>
          {!isTraining && (
            <td>
              <At block={block} />
            </td>
          )}
          {columnsOf(isTraining).map(({ name, of }) => (
            <td key={name} className="number">{of(block)}</td>
          ))}
          <td>
            <StepBars recentUs={block.recent_us} mostUs={mostUs} />
          </td>
        </tr>
      ))}
    </Frame>
  );
}

/** The same table before any step: a row for each rank, without numbers. */
export function AwaitedSteps({ ranks, isTraining }: { ranks: number; isTraining: boolean }) {
  return (
    <Frame isTraining={isTraining}>
      {Array.from({ length: ranks }, (_, rank) => (
        <tr key={rank} className="dim">
          <th scope="row">{rank}</th>
          {!isTraining && <td>–</td>}
          {columnsOf(isTraining).map(({ name }) => (
            <td key={name} className="number">–</td>
          ))}
          <td />
        </tr>
      ))}
    </Frame>
  );
}

interface Column {
  name: string;
  about: string;
  of: (block: StepBlock) => ReactNode;
}

const COMMON: readonly Column[] = [
  { name: "step", about: "index of the newest step, counted over the attempt", of: (block) => formatCount(block.last_step) },
];

const ITERATION: readonly Column[] = [
  ...COMMON,
  { name: "last (µs)", about: "the newest iteration", of: (block) => threeDigits(block.last_us) },
  { name: "mean (µs)", about: "over the iterations that are counted", of: (block) => threeDigits(block.mean_us) },
  { name: "busbw (GB/s)", about: "bus bandwidth by the mean", of: (block) => number(block.busbw_gb_per_s) },
];

const TRAINING: readonly Column[] = [
  ...COMMON,
  { name: "loss", about: "of the newest step", of: (block) => number(block.loss) },
  { name: "last (ms)", about: "the newest step", of: (block) => threeDigits(block.last_us / 1000) },
  { name: "mean (ms)", about: "over the steps that are counted", of: (block) => threeDigits(block.mean_us / 1000) },
  { name: "input (ms)", about: "of the mean step, waiting for samples", of: (block) => number(block.input_us === null ? null : block.input_us / 1000) },
  { name: "computing (ms)", about: "of the mean step", of: (block) => threeDigits(block.compute_us / 1000) },
  { name: "waiting (ms)", about: "of the mean step, for sums", of: (block) => threeDigits(block.exposed_us / 1000) },
  { name: "memory (MiB)", about: "resident set of the rank's process", of: (block) => number(block.memory_bytes === null ? null : block.memory_bytes / 2 ** 20) },
  { name: "samples/s", about: "of this rank, in steps; ranks that share samples count them once", of: (block) => number(samplesPerSecond(block)) },
];

function number(value: number | null): string {
  return value === null ? "–" : threeDigits(value);
}

function samplesPerSecond({ samples, steps, mean_us: meanUs }: StepBlock): number | null {
  return !samples || !(meanUs > 0) ? null : (samples / steps / meanUs) * 1e6;
}

function At({ block }: { block: StepBlock }) {
  return (
    <>
      <Swatch algorithm={block.algorithm} inPlace={block.in_place} /> {block.algorithm} {kindWords(block)}
    </>
  );
}

const columnsOf = (isTraining: boolean): readonly Column[] => (isTraining ? TRAINING : ITERATION);

/** The heads of the columns; ranks of a benchmark take turns with algorithms and sizes, so it has a column for these. */
function Frame({ isTraining, children }: { isTraining: boolean; children: ReactNode }) {
  return (
    <ScrollX label="What each rank is at">
      <table className={classes.table} data-wide={isTraining || undefined}>
        <caption className="hidden-visually">What each rank is at</caption>
        <thead>
          <tr>
            <th scope="col" className={classes.rank}>Rank</th>
            {!isTraining && <th scope="col" className={classes.at}>At</th>}
            {columnsOf(isTraining).map(({ name, about }) => (
              <th key={name} scope="col" className="number" title={about}>{name}</th>
            ))}
            <th scope="col" className={classes.bars}>Last steps</th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollX>
  );
}
