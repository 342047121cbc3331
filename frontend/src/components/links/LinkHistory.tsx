/** The measurements of one link, as a picture over time and as a table. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { LinkView } from "../../api/types";
import { linksBetweenQuery } from "../../data/nodes";
import { Caption } from "../marks/Caption";
import { ScrollX } from "../controls/ScrollX";
import { EmptyState } from "../states/EmptyState";
import { Loaded } from "../states/Loaded";
import { formatDateTime, threeDigits } from "../../lib/format";
import { formatSize } from "../../lib/size";
import classes from "./LinkHistory.module.css";
import { linkHistoryQuery } from "./linkHistoryQuery";
import { type Rate, rateOf } from "./matrix";

export default function LinkHistory({ a, b, rail = null }: { a: string; b: string; rail?: number | null }) {
  const [chosen, setChosen] = useState(rail);
  const history = useQuery(linkHistoryQuery(a, b, chosen));
  return (
    <Loaded query={history} what="The history of the link could not be loaded" rows={6}>
      {({ items, rails }) => (
        <>
          {rails.length > 0 && <Rails a={a} b={b} rails={rails} chosen={chosen} onChoose={setChosen} />}
          {items.length > 0 ? <Shown links={items} a={a} b={b} /> : (
            <EmptyState title={rails.length > 0 ? "The nodes have not been measured as wholes" : "This link has not been measured"}>
              <p>A diagnosis of both nodes measures it.</p>
            </EmptyState>
          )}
        </>
      )}
    </Loaded>
  );
}

interface RailsProps {
  a: string;
  b: string;
  rails: readonly number[];
  /** Null: the nodes as wholes. */
  chosen: number | null;
  onChoose: (rail: number | null) => void;
}

/** The rails of the newest measurement with their rates; a press shows the measurements of one. */
function Rails({ a, b, rails, chosen, onChoose }: RailsProps) {
  const newest = useQuery(linksBetweenQuery([a, b])).data?.[0];
  const ofRail = new Map(newest?.rails.map((each) => [each.rail, each]));
  return (
    <table>
      <caption className="hidden-visually">Rails of the link with their newest rates</caption>
      <thead>
        <tr className={classes.heads}>
          <th scope="col">Measurements of</th>
          <th scope="col" className="number">{a} to {b}, GB/s</th>
          <th scope="col" className="number">{b} to {a}, GB/s</th>
          <th scope="col" className="number">Latency, µs</th>
        </tr>
      </thead>
      <tbody>
        {[null, ...rails].map((rail) => {
          const found = rail === null ? undefined : ofRail.get(rail);
          return (
            <tr key={rail ?? "nodes"}>
              <th scope="row">
                <Button size="compact-sm" variant={rail === chosen ? "filled" : "default"} aria-pressed={rail === chosen} onClick={() => onChoose(rail)}>
                  {rail === null ? "nodes as wholes" : `rail ${rail}`}
                </Button>
              </th>
              <td className="number">{found ? words(rateOf(found, a)) : "–"}</td>
              <td className="number">{found ? words(rateOf(found, b)) : "–"}</td>
              <td className="number">{found?.latency_us == null ? "–" : threeDigits(found.latency_us)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Shown({ links, a, b }: { links: readonly LinkView[]; a: string; b: string }) {
  return (
    <>
      {links.length > 1 && (
        <figure>
          <Curve links={links} a={a} b={b} />
          <Caption more="Each bar is the interval that holds the median of single messages with 95 %; a sendrecv has one rate for both directions and no interval.">
            Bandwidth at each of {links.length} measurements, from {formatDateTime(links.at(-1)?.measured_at ?? "")} to {formatDateTime(links[0]?.measured_at ?? "")}.
          </Caption>
        </figure>
      )}
      <ScrollX label="Measurements of the link, newest first" isTall>
        <table>
          <thead>
            <tr className={classes.heads}>
              <th scope="col">When</th>
              <th scope="col" className="number">{a} to {b}, GB/s</th>
              <th scope="col" className="number">{b} to {a}, GB/s</th>
              <th scope="col" className="number">Latency, µs</th>
              <th scope="col" className="number">Size</th>
              <th scope="col">Measured by</th>
            </tr>
          </thead>
          <tbody>
            {links.map((link, i) => (
              <tr key={i}>
                <th scope="row" className={classes.when}>{formatDateTime(link.measured_at)}</th>
                <td className="number">{words(rateOf(link, a))}</td>
                <td className="number">{words(rateOf(link, b))}</td>
                <td className="number">{link.latency_us == null ? "–" : threeDigits(link.latency_us)}</td>
                <td className="number">{formatSize(link.size_bytes)}</td>
                <td className={classes.when}>
                  <Link to="/jobs/$jobId" params={{ jobId: link.job_id }}>
                    job {link.job_id}
                  </Link>
                  , {link.ways.length > 0 ? "diagnosis" : "sendrecv"}
                  {link.disturbed_by && <span title={link.disturbed_by}>, disturbed</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </>
  );
}

const [WIDTH, HEIGHT, LEFT, RIGHT, EDGE] = [560, 150, 48, 90, 10];

/** Both directions over the measurements, oldest at the left; the axis begins at 0. */
function Curve({ links, a, b }: { links: readonly LinkView[]; a: string; b: string }) {
  const inOrder = [...links].reverse();
  const most = Math.max(...inOrder.flatMap((link) => [rateOf(link, a).high, rateOf(link, b).high]));
  const x = (i: number): number => LEFT + (i * (WIDTH - LEFT - RIGHT)) / Math.max(1, inOrder.length - 1);
  const y = (rate: number): number => HEIGHT - EDGE - (rate / most) * (HEIGHT - 2 * EDGE);
  const ends = [a, b].map((source) => y(inOrder.slice(-1).map((link) => rateOf(link, source).middle)[0] ?? 0));
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={classes.curve} role="img" aria-label={`Bandwidth of the link between ${a} and ${b} at each measurement`}>
      {[0, most / 2, most].map((tick) => (
        <g key={tick} className={classes.axis}>
          <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick) + 4} textAnchor="end">{threeDigits(tick)}</text>
        </g>
      ))}
      {[a, b].map((source, which) => (
        <g key={source} className={which === 0 ? classes.there : classes.back}>
          <polyline points={inOrder.map((link, i) => `${x(i)},${y(rateOf(link, source).middle)}`).join(" ")} />
          {inOrder.map((link, i) => {
            const { low, high, middle } = rateOf(link, source);
            return (
              <g key={i}>
                <line x1={x(i)} x2={x(i)} y1={y(low)} y2={y(high)} />
                <circle cx={x(i)} cy={y(middle)} r={3} />
              </g>
            );
          })}
          <text x={WIDTH - RIGHT + 8} y={labelY(ends, which) + 4}>from {source}</text>
        </g>
      ))}
    </svg>
  );
}

/** The two names at the ends of the lines lie at least a line of text apart. */
function labelY(ends: readonly number[], which: number): number {
  const [first = 0, second = 0] = ends;
  const middle = Math.min(HEIGHT - 22, Math.max(14, (first + second) / 2));
  if (Math.abs(first - second) >= 16) return ends[which] ?? 0;
  return middle + (which === (first <= second ? 0 : 1) ? -8 : 8);
}

function words({ low, high, middle }: Rate): string {
  return low === high ? threeDigits(middle) : `${threeDigits(low)} to ${threeDigits(high)}`;
}
