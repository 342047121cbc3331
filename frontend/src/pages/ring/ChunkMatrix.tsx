import { ScrollX } from "../../components/controls/ScrollX";
import { digits } from "../../lib/amount";
import { contributions, isEmpty, type Run } from "../../lib/moves";
import classes from "./ChunkMatrix.module.css";

/** With more ranks or chunks than this there is no room for the numbers: a cell is then a colour and its count. */
const MOST_WITH_NUMBERS = 16;
const MOST_NUMBERS = 4;

interface Props {
  run: Run;
  step: number;
  reduces: boolean;
}

/** Each rank's content of each chunk after a step: how many ranks' inputs are in it, and which cells have just changed. */
export function ChunkMatrix({ run, step, reduces }: Props) {
  const counts = contributions(run, step);
  const changed = new Set((run.steps[step - 1] ?? []).flatMap((move) => move.intoChunks.map((chunk) => `${move.dst} ${chunk}`)));
  const isSmall = Math.max(run.ranks, run.chunks.length) > MOST_WITH_NUMBERS;
  const held = isSmall ? null : run.held?.[step];
  return (
    <div className={classes.matrix}>
      <ScrollX label="What each rank holds, a column for each chunk">
        <table className={isSmall ? classes.small : classes.large}>
          <caption className="hidden-visually">
            What each rank holds of each chunk{reduces && `, and how many of the ${run.ranks} ranks' inputs are in it`}
          </caption>
          <thead>
            <tr>
              <th scope="col">{isSmall ? <span className="hidden-visually">rank</span> : "chunk"}</th>
              {run.chunks.map((_, chunk) => (
                <th key={chunk} scope="col">
                  {chunk}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {counts.map((row, rank) => (
              <tr key={rank}>
                <th scope="row">{isSmall ? rank : `rank ${rank}`}</th>
                {row.map((count, chunk) => (
                  <Cell
                    key={chunk}
                    numbers={held && numbersOf(run, held[rank] ?? [], chunk)}
                    count={reduces && !isEmpty(run, chunk) ? count : null}
                    ranks={run.ranks}
                    isChunkEmpty={isEmpty(run, chunk)}
                    isChanged={changed.has(`${rank} ${chunk}`)}
                    isSmall={isSmall}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <p className="dim">
        {reduces
          ? `k/${run.ranks}: inputs of k ranks are summed up in the cell; ✓ all of them. Outlined: changed by this step.`
          : "Outlined: changed by this step."}
      </p>
    </div>
  );
}

function numbersOf(run: Run, row: readonly number[], chunk: number): string {
  const [offset, length] = run.chunks[chunk] ?? [0, 0];
  if (length === 0) return "";
  const numbers = row.slice(offset, offset + Math.min(length, MOST_NUMBERS)).map(digits);
  return `${numbers.join(", ")}${length > MOST_NUMBERS ? " …" : ""}`;
}

interface CellProps {
  numbers: string | null | undefined;
  count: number | null;
  ranks: number;
  /** The chunk has no element and is never sent. */
  isChunkEmpty: boolean;
  isChanged: boolean;
  isSmall: boolean;
}

function Cell({ numbers, count, ranks, isChunkEmpty, isChanged, isSmall }: CellProps) {
  const isWhole = count === ranks;
  const share = count === null || ranks < 2 ? 0 : (count - 1) / (ranks - 1);
  const style = isWhole || count === null ? undefined : { background: `color-mix(in srgb, var(--algorithm-ring) ${Math.round(40 * share)}%, var(--surface))` };
  return (
    <td style={style} data-whole={isWhole || undefined} data-changed={isChanged || undefined}>
      {numbers && <strong>{numbers}</strong>}
      {isChunkEmpty && <span className="dim">–</span>}
      {count !== null && (
        <span className={classes.count}>
          {isSmall ? count : `${count}/${ranks}`}
          {isWhole && !isSmall && " ✓"}
        </span>
      )}
    </td>
  );
}
