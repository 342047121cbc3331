import { ScrollX } from "../../components/controls/ScrollX";
import { chunkLabel } from "./ring";
import { digits, formatSeconds } from "../../lib/amount";
import type { Move } from "../../lib/moves";
import { phaseInWords } from "../../lib/moveWords";
import { formatCount } from "../../lib/format";
import { formatSize } from "../../lib/size";

const MOST_ROWS = 500;

interface Props {
  moves: readonly Move[];
  /** The messages of the current step. */
  current: readonly Move[];
  /** The times are the cost model's. */
  isSimulated: boolean;
}

type Column = readonly [title: string, isNumber: boolean, cell: (move: Move) => string];

/** The lanes as numbers: a row for each message. */
export function MoveTable({ moves, current, isSimulated }: Props) {
  const columns = columnsOf(moves);
  const active = new Set(current);
  return (
    <ScrollX label="Messages, one in each row">
      <table>
        <caption className="hidden-visually">
          Messages in the order of their steps, with times {isSimulated ? "of the cost model" : "as the ranks measured them"}
        </caption>
        <thead>
          <tr>
            <th scope="col" className="number">Step</th>
            {columns.map(([title, isNumber]) => (
              <th key={title} scope="col" className={isNumber ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {moves.slice(0, MOST_ROWS).map((move, i) => (
            <tr key={i} data-active={active.has(move) || undefined}>
              <th scope="row" className="number">{move.step + 1}</th>
              {columns.map(([title, isNumber, cell]) => (
                <td key={title} className={isNumber ? "number" : undefined}>
                  {cell(move)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {moves.length > MOST_ROWS && <p className="card-body dim">The first {MOST_ROWS} of {formatCount(moves.length)} messages; the CSV has all.</p>}
    </ScrollX>
  );
}

/** Only columns that contain something. */
function columnsOf(moves: readonly Move[]): Column[] {
  const waits: Column = ["Waits", true, ({ waitUs, startUs }) => (waitUs === null ? "–" : time(Math.max(0, startUs - waitUs)))];
  const predicted: Column = ["Takes by the model", true, ({ predictedUs }) => (predictedUs === null ? "–" : time(predictedUs))];
  const numbers: Column = ["Numbers", false, ({ values }) => (values && values.length <= 6 ? values.map(digits).join(", ") : "–")];
  return [
    ["Phase", false, (move) => phaseInWords(move.phase)],
    ["From → to", false, (move) => `${move.src} → ${move.dst}`],
    ["Chunk", false, (move) => chunkLabel(move.chunks)],
    ...(moves.some((move) => move.values !== null) ? [numbers] : []),
    ["Receiver", false, (move) => (move.reduce ? "adds" : "keeps")],
    ["Size", true, (move) => formatSize(move.bytes)],
    ...(moves.some((move) => move.waitUs !== null) ? [waits] : []),
    ["Starts", true, (move) => time(move.startUs)],
    ["Is there", true, (move) => time(move.arrivedUs)],
    ["Done", true, (move) => time(move.endUs)],
    ...(moves.some((move) => move.predictedUs !== null) ? [predicted] : []),
    ...(moves.some((move) => move.errorUs > 0) ? [["± clocks", true, (move: Move) => time(move.errorUs)] as const] : []),
  ];
}

function time(timeUs: number): string {
  return formatSeconds(timeUs / 1e6);
}
