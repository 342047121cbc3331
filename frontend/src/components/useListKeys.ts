import { useCallback } from "react";
import { useShortcut } from "./shortcuts";

/** j and k move the focus through the rows of a list; `reveal` gives a row, drawn and in view. */
export function useListKeys(count: number, reveal: (index: number) => HTMLElement | null): void {
  const move = useCallback(
    (step: number) => {
      const at = focusedIndex();
      const next = at === null ? 0 : Math.min(count - 1, Math.max(0, at + step));
      if (count > 0) reveal(next)?.querySelector<HTMLElement>("a")?.focus({ preventScroll: true });
    },
    [count, reveal],
  );
  const next = useCallback(() => move(1), [move]);
  const previous = useCallback(() => move(-1), [move]);
  useShortcut("next", next);
  useShortcut("previous", previous);
}

/** The row that has the focus; null where none has. */
export function focusedIndex(): number | null {
  const row = document.activeElement?.closest<HTMLElement>("tr[data-index]");
  return row?.dataset.index === undefined ? null : Number(row.dataset.index);
}
