import { useEffect, useEffectEvent, useState } from "react";
import classes from "./PlanPage.module.css";

const STEPS = 400;
const REST_MS = 200;

interface Props {
  label: string;
  value: number;
  from: number;
  to: number;
  /** The value for screen readers. */
  text: string;
  /** Called when the slider has rested or is left. */
  onCommit: (value: number) => void;
}

/** A slider on a logarithmic scale. */
export function Slider({ label, value, from, to, text, onCommit }: Props) {
  const place = Math.round((STEPS * Math.log(clamp(value, from, to) / from)) / Math.log(to / from));
  const [drawn, setDrawn] = useState<number | null>(null);
  const [drawnOver, setDrawnOver] = useState(value);
  // Another value, for example of an example that was opened meanwhile, is not overwritten by what was drawn over the old one.
  if (value !== drawnOver) {
    setDrawnOver(value);
    setDrawn(null);
  }
  const commit = (): void => {
    setDrawn(null);
    if (drawn !== null && drawn !== place) onCommit(from * (to / from) ** (drawn / STEPS));
  };
  const onRest = useEffectEvent(commit);
  useEffect(() => {
    if (drawn === null) return;
    const timer = window.setTimeout(onRest, REST_MS);
    return () => window.clearTimeout(timer);
  }, [drawn]);
  return (
    <input
      type="range"
      className={classes.slider}
      aria-label={`${label}, slider`}
      aria-valuetext={text}
      min={0}
      max={STEPS}
      value={drawn ?? place}
      onChange={(event) => setDrawn(Number(event.currentTarget.value))}
      onBlur={commit}
    />
  );
}

function clamp(value: number, from: number, to: number): number {
  return Math.min(to, Math.max(from, value));
}
