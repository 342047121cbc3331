/** Puts the focus at the page's content where it was lost, because what had it is gone. */
export function keepFocus(): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (isLost) focusContent();
}

/** The same for who is about to take away what has the focus: Tab goes on in the content. */
export function focusContent(): void {
  document.getElementById("content")?.focus({ preventScroll: true });
}
