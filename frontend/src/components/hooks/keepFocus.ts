/** Puts the focus at the page's content where it was lost, because what had it is gone. */
export function keepFocus(): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (isLost) document.getElementById("content")?.focus({ preventScroll: true });
}

/** The `ref` of a control that comes and goes: where it goes with the focus, Tab goes on in the page's content. */
export function passesFocus(control: HTMLElement | null): () => void {
  return () => {
    if (control === document.activeElement) queueMicrotask(keepFocus);
  };
}
