import type { JobFit, RegimeFigures } from "../../api/types";
import { ScrollX } from "../../components/ScrollX";
import { digits, formatBandwidth } from "../../lib/amount";
import { formatSize } from "../../lib/size";

/** The parameters, one row for each range of message sizes. */
export function RegimeTable({ fit }: { fit: JobFit }) {
  const hasInside = fit.ranks_per_node > 1;
  return (
    <ScrollX label="Fitted parameters by message size">
      <table>
        <caption className="hidden-visually">Latency, bandwidth and speed of adding, by the size of a message</caption>
        <thead>
          <tr>
            <th scope="col">Messages</th>
            <th scope="col" className="number">α{hasInside && " between"} (µs)</th>
            <th scope="col" className="number">1/β{hasInside && " between"}</th>
            {hasInside && <th scope="col" className="number">α inside (µs)</th>}
            {hasInside && <th scope="col" className="number">1/β inside</th>}
            <th scope="col" className="number">1/γ</th>
          </tr>
        </thead>
        <tbody>
          {fit.regimes.map((regime) => (
            <tr key={regime.below_bytes ?? "rest"}>
              <th scope="row">{range(regime, fit.regimes.length)}</th>
              <td className="number">{digits(regime.latency_s * 1e6)}</td>
              <td className="number">{rate(regime.send_s_per_byte)}</td>
              {hasInside && <td className="number">{digits((regime.intra_latency_s ?? 0) * 1e6)}</td>}
              {hasInside && <td className="number">{rate(regime.intra_send_s_per_byte ?? 0)}</td>}
              <td className="number">{regime.reduce_s_per_byte === null ? "part of 1/β" : rate(regime.reduce_s_per_byte)}</td>
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

function rate(secondsPerByte: number): string {
  return secondsPerByte > 0 ? formatBandwidth(1 / secondsPerByte) : "no time";
}
