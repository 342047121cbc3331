import { useEffect, useEffectEvent, useState } from "react";
import { useShortcuts } from "../../components/hooks/shortcuts";
import { isCharacter } from "../../lib/search/keys";

interface Played {
  isPlaying: boolean;
  toggle: () => void;
  pause: () => void;
}

/** Advances from step to step while it plays: `lastsMs` is how long the previous step is shown. Stops at the last step. */
export function usePlayer(step: number, last: number, lastsMs: number, onStep: (step: number) => void): Played {
  const [isOn, setOn] = useState(false);
  const isPlaying = isOn && step < last;
  const goOn = useEffectEvent(() => onStep(step + 1));
  useEffect(() => {
    if (!isPlaying) return;
    const timer = window.setTimeout(() => goOn(), lastsMs);
    return () => window.clearTimeout(timer);
  }, [isPlaying, step, lastsMs]);
  return {
    isPlaying,
    toggle: () => {
      if (step >= last) onStep(0);
      setOn(!isPlaying);
    },
    pause: () => setOn(false),
  };
}

/** The actions of keys, by `event.key`, with "Shift+" before it if that is held. */
export type Keys = Readonly<Record<string, () => void>>;

/** Elements that use the arrow keys or take text, and those that space presses. */
const MOVED_BY_KEYS = "input, select, textarea, [contenteditable], [tabindex='0'], dialog";
const PRESSED_BY_SPACE = `a, button, summary, ${MOVED_BY_KEYS}`;

/**
 * Keys for the whole page; those of the focused element come first, keys with ctrl, alt or meta stay the
 * browser's, and the space bar does nothing if single keys are switched off.
 */
export function useKeys(keys: Keys): void {
  const { hasSingleKeys } = useShortcuts();
  const press = useEffectEvent((event: KeyboardEvent) => {
    const own = event.key === " " ? PRESSED_BY_SPACE : MOVED_BY_KEYS;
    const isTaken = document.querySelector("dialog[open]") !== null || (event.target instanceof Element && event.target.closest(own) !== null);
    const act = keys[`${event.shiftKey ? "Shift+" : ""}${event.key}`];
    if (!act || isTaken || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isCharacter(event.key) && !hasSingleKeys) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
