/**
 * The reason for a mark, shown when the mark is hovered, pressed, or focused by keyboard.
 *
 * One element shows the reasons of all marks, as long lists have many. By WCAG 1.4.13 Escape closes it, the pointer
 * may move into it, and it stays until pointer or focus leave the mark. Screen readers have the reason as the mark's
 * description, so the element is hidden from them.
 */
import { type ButtonHTMLAttributes, useEffect, useRef } from "react";
import classes from "./Reasons.module.css";
import { usePartKeys } from "../hooks/shortcuts";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  why: string;
  /** In a list with a link in each row, the arrow keys lead from the link to the mark, and Tab skips the mark. */
  isInRow?: boolean | undefined;
}

/** A mark beside a number that has a caveat. */
export function Mark({ why, isInRow, className = "", ...rest }: Props) {
  // The empty title suppresses that of the cell around it; ARIA 1.3 has the description for every role.
  // eslint-disable-next-line jsx-a11y/role-supports-aria-props
  return <button type="button" className={`${classes.mark} ${className}`} data-reason aria-description={why} title="" tabIndex={isInRow ? -1 : 0} {...rest} />;
}

/** Shows the reasons; a page has one of these. */
export function Reasons() {
  const tip = useRef<HTMLDivElement>(null);
  usePartKeys("marks");
  useEffect(() => (tip.current ? watch(tip.current) : undefined), []);
  return <div ref={tip} id="reason" className={classes.tip} aria-hidden hidden />;
}

/** The reason of any element: its description, or else its name if that contains the reason. */
const MARK = "[data-reason]";

/** How long a pointer must rest on a mark, so that a pointer that only crosses it opens nothing. */
const REST_MS = 300;

function watch(tip: HTMLElement): () => void {
  const listening = new AbortController();
  let shown: Element | null = null;
  let resting: number | undefined;
  let table: Element | null = null; // the roving tab stop
  const draw = (): void => {
    // Rows come and go below the pointer, and what is measured changes.
    if (!shown?.isConnected) shown = null;
    tip.hidden = shown === null;
    if (shown) put(tip, shown);
  };
  const changes = new MutationObserver(draw);
  const show = (mark: Element | null): void => {
    window.clearTimeout(resting);
    if (mark === shown) return;
    shown = mark;
    changes.disconnect();
    if (mark) changes.observe(document.body, { subtree: true, childList: true, attributeFilter: ["aria-description", "aria-label"] });
    draw();
  };
  const on = <K extends keyof DocumentEventMap>(kind: K, listener: (event: DocumentEventMap[K]) => void): void =>
    document.addEventListener(kind, listener, { capture: true, passive: kind === "scroll", signal: listening.signal });
  const isTip = ({ target }: Event): boolean => tip.contains(target as Node);
  on("pointerover", (event) => {
    const mark = markOf(event);
    // A finger points only while it presses, and a focused mark keeps its reason.
    if (event.pointerType === "touch") return;
    window.clearTimeout(resting);
    if (mark && mark !== shown) resting = window.setTimeout(() => show(mark), REST_MS);
    else if (!mark && !isTip(event) && shown !== document.activeElement) show(null);
  });
  on("pointerdown", (event) => !isTip(event) && show(markOf(event)));
  on("click", (event) => !isTip(event) && show(markOf(event)));
  on("focusin", (event) => {
    const mark = markOf(event);
    // All marks are tab stops again once the focus is elsewhere: the one that had it may disappear with its number.
    if (!table?.contains(event.target as Node)) for (const left of marksIn(table)) left.tabIndex = 0;
    table = tableOf(event.target as Element);
    if (mark) for (const other of marksIn(table)) other.tabIndex = other === mark ? 0 : -1;
    show(mark);
  });
  on("keydown", (event) => (event.key === "Escape" ? show(null) : step(event)));
  on("scroll", draw);
  window.addEventListener("resize", draw, { signal: listening.signal });
  return () => {
    listening.abort();
    window.clearTimeout(resting);
    changes.disconnect();
  };
}

function markOf({ target }: Event): Element | null {
  return target instanceof Element ? target.closest(MARK) : null;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** In a row of a list the arrow keys lead from its link through its marks, in a table from mark to mark, and back. */
function step(event: KeyboardEvent): void {
  const by = STEPS[event.key];
  const at = document.activeElement;
  if (!at || by === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = at.closest("tr[data-index]");
  const stops: (Element | null)[] = row ? [row.querySelector("a"), ...row.querySelectorAll(MARK)] : marksIn(tableOf(at));
  const place = stops.indexOf(at);
  const next = place < 0 ? null : stops[place + by];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}

/** The body of a table whose marks (there may be one at each number) are one tab stop; marks of a list are none. */
function tableOf(at: Element): Element | null {
  return at.closest("tr[data-index]") ? null : at.closest("tbody");
}

function marksIn(table: Element | null): HTMLElement[] {
  return [...(table?.querySelectorAll<HTMLElement>(MARK) ?? [])];
}

const GAP_PX = 6;
const EDGE_PX = 8;

/** Places it below the mark, or above it if there is no room. */
function put(tip: HTMLElement, mark: Element): void {
  const text = mark.getAttribute("aria-description") ?? mark.getAttribute("aria-label") ?? "";
  if (tip.textContent !== text) tip.textContent = text;
  const { left, top, bottom } = mark.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const hasRoom = bottom + GAP_PX + tip.offsetHeight <= clientHeight;
  tip.style.left = `${Math.max(EDGE_PX, Math.min(left, clientWidth - tip.offsetWidth - EDGE_PX))}px`;
  tip.style.top = `${hasRoom ? bottom + GAP_PX : top - GAP_PX - tip.offsetHeight}px`;
}
