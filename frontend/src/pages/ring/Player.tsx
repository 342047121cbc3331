import { Button } from "@mantine/core";
import { MOST_ON_RING } from "./ring";
import { usePartKeys } from "../../components/hooks/shortcuts";
import { Segments } from "../../components/controls/Segments";
import { phaseJump, phasesOf, type Run, stepEndUs } from "../../lib/moves";
import { phaseInWords, stepInWords } from "../../lib/moveWords";
import { type PlayChange, type PlaySearch, SPEEDS } from "../../lib/search/playSearch";
import { ChunkMatrix } from "./ChunkMatrix";
import { RingPicture } from "./RingPicture";
import classes from "./Player.module.css";
import { useKeys, usePlayer } from "./usePlayer";

const STEP_MS = 1400;
const LEAST_MS = 60;

interface Props {
  run: Run;
  step: number;
  /** The result after the last step, as a sentence. */
  end: string;
  /** Whether the collective combines the ranks' values. */
  reduces: boolean;
  search: PlaySearch;
  /** The source of the times for the pace: "model time", "real time". */
  paceName: string;
  onChange: (change: PlayChange) => void;
}

/** Ring and matrix of one step, and the controls for the steps. */
export function Player({ run, step, end, reduces, search, paceName, onChange }: Props) {
  const { speed = "1", pace = "equal" } = search;
  const last = run.steps.length;
  const goTo = (next: number): void => onChange({ step: next > 0 ? String(Math.min(next, last)) : undefined });
  const player = usePlayer(step, last, lastsMs(run, step, pace) / Number(speed), goTo);
  const jump = (next: number): void => {
    player.pause();
    goTo(next);
  };
  usePartKeys("player");
  useKeys({
    " ": player.toggle,
    ArrowLeft: () => jump(step - 1),
    ArrowRight: () => jump(step + 1),
    "Shift+ArrowLeft": () => jump(phaseJump(run, step, -1)),
    "Shift+ArrowRight": () => jump(phaseJump(run, step, 1)),
    Home: () => jump(0),
    End: () => jump(last),
  });
  const sentence = stepInWords(run, step);
  const isOver = step === last;
  return (
    <section className="card" aria-labelledby="steps">
      <div className="card-head">
        <h2 id="steps">{step === 0 ? "At the start" : `Step ${step} of ${last}`}</h2>
        <p className="dim">{phases(run)}</p>
      </div>
      <div className={`card-body ${classes.body}`}>
        <div className={classes.controls} role="group" aria-label="Player">
          <StepButton name="To the start" sign="|◀" keys="Home" isIdle={step === 0} onClick={() => jump(0)} />
          <StepButton name="Phase back" sign="◀◀" keys="Shift+ArrowLeft" isIdle={step === 0} onClick={() => jump(phaseJump(run, step, -1))} />
          <StepButton name="Step back" sign="◀" keys="ArrowLeft" isIdle={step === 0} onClick={() => jump(step - 1)} />
          <Button className={classes.play ?? ""} variant="filled" aria-keyshortcuts="Space" onClick={player.toggle}>
            {player.isPlaying ? "❚❚ Pause" : "▶ Play"}
          </Button>
          <StepButton name="Step forward" sign="▶" keys="ArrowRight" isIdle={isOver} onClick={() => jump(step + 1)} />
          <StepButton name="Phase forward" sign="▶▶" keys="Shift+ArrowRight" isIdle={isOver} onClick={() => jump(phaseJump(run, step, 1))} />
          <StepButton name="To the end" sign="▶|" keys="End" isIdle={isOver} onClick={() => jump(last)} />
          <input
            type="range"
            className={classes.scrubber}
            aria-label="Step"
            aria-valuetext={`${step} of ${last}`}
            min={0}
            max={last}
            value={step}
            onChange={(event) => jump(Number(event.currentTarget.value))}
          />
          <Segments
            label="Speed"
            value={speed}
            options={SPEEDS.map((one) => [one, `${one.replace("0.25", "¼").replace("0.5", "½")}×`] as const)}
            onChange={(next) => onChange({ speed: next === "1" ? undefined : next })}
          />
          <Segments
            label="Pace"
            value={pace}
            options={[["equal", "equal steps"], ["time", paceName]]}
            onChange={(next) => onChange({ pace: next === "time" ? next : undefined })}
          />
        </div>
        <p className={classes.sentence} role="status" aria-live={player.isPlaying ? "off" : "polite"}>
          {sentence}
          {isOver && last > 0 && ` ${end}`}
        </p>
        {run.ranks > MOST_ON_RING && (
          <p className="dim">More than {MOST_ON_RING} ranks: the matrix and the lanes show them, a ring would not.</p>
        )}
        <div className={run.ranks > MOST_ON_RING ? undefined : classes.views}>
          {run.ranks <= MOST_ON_RING && <RingPicture run={run} step={step} />}
          {run.chunks.length > 0 ? (
            <ChunkMatrix run={run} step={step} reduces={reduces} />
          ) : (
            <p className="dim">The chunks are not known, because this server does not know the algorithm.</p>
          )}
        </div>
        <p className="dim">
          Space plays and pauses; ← and → go by steps, with Shift by phases; Home and End to the ends.
        </p>
      </div>
    </section>
  );
}

interface StepButtonProps {
  name: string;
  sign: string;
  keys: string;
  /** Nothing to move to; the button can still have the focus, so that the focus is not lost at the end. */
  isIdle: boolean;
  onClick: () => void;
}

function StepButton({ name, sign, keys, isIdle, onClick }: StepButtonProps) {
  return (
    <Button aria-label={name} title={name} aria-keyshortcuts={keys} aria-disabled={isIdle} data-disabled={isIdle} onClick={onClick}>
      {sign}
    </Button>
  );
}

/** How long a step is shown: all equally long, or in proportion to their times. */
function lastsMs(run: Run, step: number, pace: "equal" | "time"): number {
  if (pace === "equal" || run.timeUs <= 0) return STEP_MS;
  const share = (stepEndUs(run, step + 1) - stepEndUs(run, step)) / run.timeUs;
  return Math.max(LEAST_MS, share * STEP_MS * run.steps.length);
}

function phases(run: Run): string {
  return phasesOf(run).map(({ name, first, last }) => `${phaseInWords(name)} ${first === last ? first : `${first}–${last}`}`).join(" · ");
}
