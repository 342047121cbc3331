/** Moves the focus to the page's content if the element that had it is gone. */
export function keepFocus(): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (isLost) document.getElementById("content")?.focus({ preventScroll: true });
}

/** The `ref` of a control that comes and goes: if it disappears while focused, Tab continues in the page's content. */
export function passesFocus(control: HTMLElement | null): () => void {
  return () => {
    if (control === document.activeElement) queueMicrotask(keepFocus);
  };
}
