import type { NcclEdge, NcclPlace, NcclShape } from "../../../api/types";
import { useWidthStep } from "../../../components/hooks/useWidthStep";
import { ScrollX } from "../../../components/controls/ScrollX";
import { plural } from "../../../lib/format";
import { curveOf, layoutOf, type NodeBox, RADIUS, type Spot } from "./layout";
import { legendOf, lookOf, shapeName } from "./looks";
import classes from "../Diagnose.module.css";

/** The windows from which on there is room for nodes beside each other, and that room. */
const STEPS = [721, 1201] as const;
const ROOM_PX: Record<number, number> = { 0: 340, 721: 640, 1201: 1120 };

/** A ring, a tree, NVLS or other edges over the nodes and their ranks; the table below has the same edges. */
export function ChannelPicture({ shape, places }: { shape: NcclShape; places: readonly NcclPlace[] }) {
  const room = ROOM_PX[useWidthStep(STEPS)] ?? 340;
  const isNvls = shape.kind === "nvls";
  const { boxes, spots, width, height } = layoutOf(places, room, isNvls);
  const heads = new Set(shape.head_ranks);
  return (
    <ScrollX label="Picture of the channels">
      <svg
        className={classes.picture}
        role="img"
        aria-label={`${shapeName(shape)} over ${plural(boxes.length, "node")} and ${plural(places.length, "rank")}`}
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
      >
        {boxes.map((box) => (
          <Box key={box.host ?? "none"} box={box} />
        ))}
        {isNvls && boxes.map((box) => <Hub key={box.host ?? "none"} box={box} />)}
        {shape.edges.map((edge, i) => (
          <Edge key={i} edge={edge} from={spots.get(edge.source)} to={spots.get(edge.target)} />
        ))}
        {boxes.flatMap((box) => box.spots.map((spot) => <Rank key={spot.rank} spot={spot} isHead={heads.has(spot.rank)} />))}
      </svg>
      <ul className={classes.legend}>
        {legendOf(shape).map(({ look, edges }) => (
          <li key={look.name}>
            <svg width="34" height="8" aria-hidden="true">
              <line x1="0" y1="4" x2="34" y2="4" stroke={`var(${look.colour})`} strokeWidth={look.width} strokeDasharray={look.dash} />
            </svg>
            {look.name} <span className="dim">{plural(edges, "edge")}</span>
          </li>
        ))}
        {isNvls && <li className="dim">The NVSwitch sums; {shape.heads === null ? "its heads are not printed" : plural(shape.heads, "head")}, marked with a double circle as far as they are printed.</li>}
      </ul>
    </ScrollX>
  );
}

function Box({ box }: { box: NodeBox }) {
  const name = box.host === null ? "ranks without a line" : box.host || "node without a name";
  return (
    <g>
      <rect x={box.x + 0.5} y={box.y + 0.5} width={box.width - 1} height={box.height - 1} rx="8" fill="var(--sunken)" stroke="var(--line)" />
      <text x={box.x + 12} y={box.y + 18} className={classes.host}>
        <title>{name}</title>
        {shortened(name, box.width)}
      </text>
    </g>
  );
}

function shortened(name: string, width: number): string {
  const most = Math.floor((width - 24) / 6.6);
  return name.length > most ? `${name.slice(0, most - 1)}…` : name;
}

function Hub({ box }: { box: NodeBox }) {
  if (!box.hub) return null;
  const { x, y } = box.hub;
  return (
    <g>
      {box.spots.map((spot) => (
        <line key={spot.rank} x1={spot.x} y1={spot.y} x2={x} y2={y - 9} stroke="var(--algorithm-auto)" strokeWidth="2" />
      ))}
      <rect x={x - 44} y={y - 10} width="88" height="20" rx="10" fill="var(--surface)" stroke="var(--algorithm-auto)" strokeWidth="1.5" />
      <text x={x} y={y + 4} className={classes.spot}>NVSwitch</text>
    </g>
  );
}

function Edge({ edge, from, to }: { edge: NcclEdge; from: Spot | undefined; to: Spot | undefined }) {
  if (!from || !to || from === to) return null;
  const { path, arrow } = curveOf(from, to);
  const look = lookOf(edge.transport_class);
  const colour = `var(${look.colour})`;
  return (
    <g>
      <title>{`${edge.source} to ${edge.target}: ${edge.transports.join(", ") || look.name}`}</title>
      <path d={path} fill="none" stroke={colour} strokeWidth={look.width} strokeDasharray={look.dash} />
      <path d={arrow} fill={colour} />
    </g>
  );
}

function Rank({ spot, isHead }: { spot: Spot; isHead: boolean }) {
  return (
    <g>
      <title>{`Rank ${spot.rank}${spot.device === null ? "" : `, GPU ${spot.device}`}`}</title>
      <circle cx={spot.x} cy={spot.y} r={RADIUS} fill="var(--surface)" stroke="var(--line-strong)" strokeWidth="1.5" />
      {isHead && <circle cx={spot.x} cy={spot.y} r={RADIUS - 3} fill="none" stroke="var(--algorithm-auto)" strokeWidth="1.5" />}
      <text x={spot.x} y={spot.y + 4} className={classes.spot}>{spot.rank}</text>
      {spot.device !== null && spot.device !== spot.rank && (
        <text x={spot.x} y={spot.y + RADIUS + 11} className={classes.device}>GPU {spot.device}</text>
      )}
    </g>
  );
}
