import type { JobFit, RegimeFigures } from "../../api/types";
import { ScrollX } from "../../components/controls/ScrollX";
import { aligned } from "./column";
import { formatSize } from "../../lib/size";

/** The parameters, one row for each range of message sizes. */
export function RegimeTable({ fit }: { fit: JobFit }) {
  const hasInside = fit.ranks_per_node > 1;
  const columns = {
    latency: aligned(fit.regimes.map((regime) => regime.latency_s * 1e6)),
    rate: rates(fit.regimes.map((regime) => regime.send_s_per_byte)),
    insideLatency: aligned(fit.regimes.map((regime) => (regime.intra_latency_s ?? 0) * 1e6)),
    insideRate: rates(fit.regimes.map((regime) => regime.intra_send_s_per_byte ?? 0)),
    adding: rates(fit.regimes.map((regime) => regime.reduce_s_per_byte)),
  };
  return (
    <ScrollX label="Fitted parameters by message size">
      <table>
        <caption className="hidden-visually">Latency, bandwidth and speed of adding, by the size of a message</caption>
        <thead>
          <tr>
            <th scope="col">Messages</th>
            <th scope="col" className="number">α{hasInside && " between"} (µs)</th>
            <th scope="col" className="number">1/β{hasInside && " between"} (GB/s)</th>
            {hasInside && <th scope="col" className="number">α inside (µs)</th>}
            {hasInside && <th scope="col" className="number">1/β inside (GB/s)</th>}
            <th scope="col" className="number">1/γ (GB/s)</th>
          </tr>
        </thead>
        <tbody>
          {fit.regimes.map((regime, i) => (
            <tr key={regime.below_bytes ?? "rest"}>
              <th scope="row">{range(regime, fit.regimes.length)}</th>
              <td className="number">{columns.latency[i]}</td>
              <td className="number">{columns.rate[i]}</td>
              {hasInside && <td className="number">{columns.insideLatency[i]}</td>}
              {hasInside && <td className="number">{columns.insideRate[i]}</td>}
              <td className="number">{columns.adding[i]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function range({ below_bytes: below }: RegimeFigures, count: number): string {
  if (below !== null) return `below ${formatSize(Math.round(below))}`;
  return count > 1 ? "any other size" : "any size";
}

/** In GB/s; null: the time is part of that of sending. */
function rates(secondsPerByte: readonly (number | null)[]): string[] {
  const texts = aligned(secondsPerByte.map((time) => (time ? 1e-9 / time : null)));
  return texts.map((text, i) => (secondsPerByte[i] === null ? "part of 1/β" : secondsPerByte[i] ? text : "no time"));
}
