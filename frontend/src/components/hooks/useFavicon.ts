import { useEffect } from "react";
import type { Tone } from "../../lib/state";

// For light and dark tab strips: these are no tokens, as our theme does not reach there.
const COLOURS: Record<Tone, string> = { waiting: "#7d828b", busy: "#2f7de0", good: "#1f9a5f", bad: "#d8363f", warn: "#c98200" };
const SHAPES: Record<Tone, string> = {
  waiting: '<circle cx="16" cy="16" r="10" fill="none" stroke="COLOUR" stroke-width="5"/>',
  busy: '<circle cx="16" cy="16" r="10" fill="none" stroke="COLOUR" stroke-width="5"/><path d="M16 6a10 10 0 0 1 0 20z" fill="COLOUR"/>',
  good: '<path d="M5 17l8 8 14-18" fill="none" stroke="COLOUR" stroke-width="6"/>',
  bad: '<path d="M6 6l20 20M26 6L6 26" fill="none" stroke="COLOUR" stroke-width="6"/>',
  warn: '<path d="M16 3L30 28H2z" fill="COLOUR"/>',
};

/** Shows the state of the page's subject in the tab's icon; the default icon returns when the page is left. */
export function useFavicon(tone: Tone | null): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link || tone === null) return;
    const usual = link.href;
    const shape = SHAPES[tone].replaceAll("COLOUR", COLOURS[tone]);
    link.href = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${shape}</svg>`)}`;
    return () => {
      link.href = usual;
    };
  }, [tone]);
}
