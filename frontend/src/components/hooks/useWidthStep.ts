import { useCallback, useSyncExternalStore } from "react";

/** The largest of `stepsPx` (ascending) that the window is at least as wide as; 0 if it is narrower than all of them. */
export function useWidthStep(stepsPx: readonly number[]): number {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const queries = stepsPx.map(atLeast);
      for (const query of queries) query.addEventListener("change", onChange);
      return () => {
        for (const query of queries) query.removeEventListener("change", onChange);
      };
    },
    [stepsPx],
  );
  return useSyncExternalStore(subscribe, () => stepsPx.filter((px) => atLeast(px).matches).at(-1) ?? 0);
}

function atLeast(px: number): MediaQueryList {
  return window.matchMedia(`(width >= ${px}px)`);
}
