import { useCallback } from "react";
import { useShortcut } from "./shortcuts";

/** Moves the focus by j and k through the rows of a list from `first` on; `reveal` returns a row, drawn and in view. */
export function useListKeys(count: number, reveal: (index: number) => HTMLElement | null, first = 0): void {
  const move = useCallback(
    (step: number) => {
      const at = focusedIndex();
      const next = at === null ? first : Math.min(count - 1, Math.max(first, at + step));
      if (count > first) reveal(next)?.querySelector<HTMLElement>("a")?.focus({ preventScroll: true });
    },
    [count, reveal, first],
  );
  const next = useCallback(() => move(1), [move]);
  const previous = useCallback(() => move(-1), [move]);
  useShortcut("next", next);
  useShortcut("previous", previous);
}

/** The row that has the focus; null if none has. */
export function focusedIndex(): number | null {
  const row = document.activeElement?.closest<HTMLElement>("tr[data-index]");
  return row?.dataset.index === undefined ? null : Number(row.dataset.index);
}
