import { useId } from "react";
import { arrow, arrowLabel, rankPlaces, rankRadius, RING_PX } from "./ring";
import type { Run } from "../../lib/moves";
import { moveInWords, phaseInWords } from "../../lib/moveWords";
import classes from "./RingPicture.module.css";

const TRAVELLER_PX = 6;

/** Ranks on a circle and the messages of one step; arrows are labelled with the numbers sent and their chunk. */
export function RingPicture({ run, step }: { run: Run; step: number }) {
  const places = rankPlaces(run.ranks);
  const radius = rankRadius(run.ranks);
  const moves = run.steps[step - 1] ?? [];
  const arrows = moves.flatMap((move) => {
    const [from, to] = [places[move.src], places[move.dst]];
    return from && to ? [{ move, key: `${move.src} ${move.dst} ${move.chunks.join()}`, ...arrow(from, to, radius) }] : [];
  });
  const id = useId();
  const middle = RING_PX / 2;
  const [first] = moves;
  const name = first ? `Ring in step ${step}: ${moves.map(moveInWords).join("; ")}` : `${run.ranks} ranks; nothing has moved yet`;
  return (
    <figure className={classes.figure}>
      <svg viewBox={`0 0 ${RING_PX} ${RING_PX}`} className={classes.ring} role="img" aria-label={name}>
        <defs>
          {(["adds", "keeps"] as const).map((kind) => (
            <marker key={kind} id={`${id}-${kind}`} viewBox="0 0 10 10" refX="8" refY="5" markerWidth="6" markerHeight="6" orient="auto-start-reverse">
              <path d="M 0 0.5 L 9.5 5 L 0 9.5 z" className={classes[kind]} />
            </marker>
          ))}
        </defs>
        {!arrows.some(({ isAcross }) => isAcross) && (
          <>
            <text x={middle} y={middle - 4} textAnchor="middle" className={classes.phase}>
              {first ? phaseInWords(first.phase) : "start"}
            </text>
            <text x={middle} y={middle + 18} textAnchor="middle" className={classes.count}>
              step {step} of {run.steps.length}
            </text>
          </>
        )}
        <g key={step} className={classes.arrows}>
          {arrows.map(({ move, key, path }) => {
            const kind = move.reduce ? "adds" : "keeps";
            return (
              <g key={key}>
                <path d={path} className={classes[`${kind}Line`]} markerEnd={`url(#${id}-${kind})`} />
                <circle r={TRAVELLER_PX} className={`${classes[kind]} ${classes.traveller}`} style={{ offsetPath: `path("${path}")` }} />
              </g>
            );
          })}
        </g>
        {places.map(({ rank, x, y }) => (
          <g key={rank}>
            <circle cx={x} cy={y} r={radius} className={classes.rank} />
            <text x={x} y={y + 5} textAnchor="middle" className={classes.number}>
              {radius >= 25 ? `rank ${rank}` : rank}
            </text>
          </g>
        ))}
        {arrows.map(({ move, key, label }) => {
          const lines = arrowLabel(move, run.ranks);
          const [first = "", second] = lines;
          const width = Math.max(7 * first.length, 6 * (second?.length ?? 0)) + 14;
          const x = Math.min(RING_PX - width / 2 - 1, Math.max(width / 2 + 1, label.x));
          const height = second === undefined ? 20 : 34;
          return (
            <g key={key}>
              <rect x={x - width / 2} y={label.y - height / 2} width={width} height={height} rx={10} className={move.reduce ? classes.addsTag : classes.keepsTag} />
              <text x={x} y={label.y + (second === undefined ? 4.5 : -2)} textAnchor="middle" className={classes.tag}>
                {first}
              </text>
              {second !== undefined && (
                <text x={x} y={label.y + 12} textAnchor="middle" className={classes.chunk}>
                  {second}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      <figcaption className={classes.legend}>
        <span>
          <Key kind="adds" /> the receiver adds the chunk
        </span>
        <span>
          <Key kind="keeps" /> it keeps the chunk
        </span>
      </figcaption>
    </figure>
  );
}

function Key({ kind }: { kind: "adds" | "keeps" }) {
  return (
    <svg width="28" height="8" aria-hidden="true">
      <line x1="0" y1="4" x2="28" y2="4" className={classes[`${kind}Line`]} />
    </svg>
  );
}
