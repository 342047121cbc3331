import type { CurvePoint } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { PART_NAMES, PARTS, splitOf } from "../../../lib/curve";
import { formatRate, threeDigits } from "../../../lib/format";

/** The charts as numbers: a row for each point. */
export function CurveTable({ points, isScript }: { points: readonly CurvePoint[]; isScript: boolean }) {
  const hasLoss = !isScript || points.some((point) => point.loss !== null);
  return (
    <ScrollX label="Training by steps" isTall>
      <table>
        <caption className="hidden-visually">Loss, throughput and the split of a step; means over the steps of each row</caption>
        <thead>
          <tr>
            <th scope="col" className="number">Steps</th>
            {hasLoss && <th scope="col" className="number">Loss</th>}
            <th scope="col" className="number">Samples/s</th>
            <th scope="col" className="number">Step (ms)</th>
            {PARTS.map((part) => (
              <th key={part} scope="col" className="number">
                {PART_NAMES[part]} (ms)
              </th>
            ))}
            <th scope="col" className="number" title="the largest resident set of any rank">Memory (MiB)</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <PointRow key={point.first_step} point={point} hasLoss={hasLoss} />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function PointRow({ point, hasLoss }: { point: CurvePoint; hasLoss: boolean }) {
  const { first_step: first, last_step: last, loss, samples_per_second: rate, memory_bytes: memory } = point;
  const split = splitOf(point);
  return (
    <tr>
      <th scope="row" className="number">{first === last ? first : `${first} – ${last}`}</th>
      {hasLoss && <td className="number">{loss === null ? "diverged" : threeDigits(loss)}</td>}
      <td className="number">{rate === null ? "–" : formatRate(rate)}</td>
      <td className="number">{threeDigits(point.duration_us / 1000)}</td>
      {PARTS.map((part) => (
        <td key={part} className="number">
          {threeDigits(split[part] / 1000)}
        </td>
      ))}
      <td className="number">{memory === null ? "–" : threeDigits(memory / 2 ** 20)}</td>
    </tr>
  );
}
