/** Puts the focus at the page's content where it was lost, because what had it is gone. */
export function keepFocus(): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (isLost) document.getElementById("content")?.focus({ preventScroll: true });
}
