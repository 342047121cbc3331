import { ScrollX } from "../../components/controls/ScrollX";
import { Warnings } from "../../components/states/Warnings";
import type { OperationTrace } from "../../api/types";
import { digits, formatSeconds } from "../../lib/amount";
import { plural } from "../../lib/format";
import { formatSize } from "../../lib/size";

/** Which hops between nodes are slow, by the time of messages on the wire; nothing for ranks of one node. */
export function Hops({ trace: { hops, slow_links: slowLinks } }: { trace: OperationTrace }) {
  if (hops.length === 0) return null;
  const longestFirst = [...hops].sort((a, b) => (b.times_longer ?? 0) - (a.times_longer ?? 0));
  return (
    <section className="card" aria-label="Hops between nodes">
      <Warnings warnings={slowLinks} label="Slow links" />
      <details className="card-body" open={slowLinks.length > 0}>
        <summary>{summary(hops)}</summary>
        <ScrollX label="Hops between nodes">
          <table>
            <thead>
              <tr>
                <th scope="col">Hop</th>
                <th scope="col" className="number">Messages</th>
                <th scope="col" className="number">Largest</th>
                <th scope="col" className="number">On the wire</th>
                <th scope="col" className="number">Beside quick hops</th>
              </tr>
            </thead>
            <tbody>
              {longestFirst.map((hop) => (
                <tr key={`${hop.src} ${hop.dst}`}>
                  <th scope="row">{`${hop.src} to ${hop.dst}`}</th>
                  <td className="number">{hop.messages}</td>
                  <td className="number">{formatSize(hop.bytes)}</td>
                  <td className="number">{formatSeconds(hop.wire_ns / 1e9)}</td>
                  <td className="number">
                    {hop.is_slow && "⚠ slow, "}
                    {hop.times_longer === null ? "not known" : `${digits(hop.times_longer)}×`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
        <p className="dim">
          The time on the wire begins when both ends have come and ends when the receiver has the message, so a wait for the sender&rsquo;s data does not count.
        </p>
      </details>
    </section>
  );
}

/** "8 hops between nodes, 2 of them slow", or that they cannot be compared. */
function summary(hops: OperationTrace["hops"]): string {
  const slow = hops.filter((hop) => hop.is_slow).length;
  const all = `${plural(hops.length, "hop")} between nodes`;
  if (hops.every((hop) => hop.times_longer === null)) return `${all}; they cannot be compared`;
  return `${all}, ${slow === 0 ? "none" : slow} of them slow`;
}
