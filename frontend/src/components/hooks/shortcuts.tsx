/** The page's keys: which component handles which one, and whether single keys are switched on (WCAG 2.1.4). */
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useStored } from "./useStored";
import { type Action, type Part, PREFIX_MS, readStroke } from "../../lib/search/keys";

type Handler = () => void;

/** The handlers of each action; the last one registered wins, so that a page takes precedence over the shell. */
class Registry {
  private readonly handlers = new Map<Action, Handler[]>();

  add(action: Action, handler: Handler): () => void {
    this.handlers.set(action, [...(this.handlers.get(action) ?? []), handler]);
    return () => {
      this.handlers.set(action, (this.handlers.get(action) ?? []).filter((other) => other !== handler));
    };
  }

  readonly handlerOf = (action: Action): Handler | undefined => this.handlers.get(action)?.at(-1);
}

interface Shortcuts {
  registry: Registry;
  hasSingleKeys: boolean;
  setSingleKeys: (isOn: boolean) => void;
}

const ShortcutContext = createContext<Shortcuts | null>(null);

/** Listens for keys for everything below it. */
export function ShortcutProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new Registry());
  const [hasSingleKeys, setSingleKeys] = useStored("ringscope-single-keys", true);
  useEffect(() => listen(registry, hasSingleKeys), [registry, hasSingleKeys]);
  return <ShortcutContext value={{ registry, hasSingleKeys, setSingleKeys }}>{children}</ShortcutContext>;
}

/** Runs an action at a key while the component is shown; with null the key is left to others. */
export function useShortcut(action: Action, handler: Handler | null): void {
  const { registry } = useShortcuts();
  useEffect(() => (handler ? registry.add(action, handler) : undefined), [registry, action, handler]);
}

const nothing = (): void => undefined;

/** Registers a part of the page that handles its keys itself, so that the help lists them. */
export function usePartKeys(part: Part): void {
  useShortcut(`part:${part}`, nothing);
}

/** The registry itself, and the switch of the single keys. */
export function useShortcuts(): Shortcuts {
  const shortcuts = useContext(ShortcutContext);
  if (!shortcuts) throw new Error("useShortcuts needs a ShortcutProvider above it.");
  return shortcuts;
}

function listen(registry: Registry, hasSingleKeys: boolean): () => void {
  let isPrefix = false;
  let timer: number | undefined;
  const onKey = (event: KeyboardEvent): void => {
    // Shift alone leads to "?", and is no key of its own.
    if (event.key === "Shift" || event.defaultPrevented || document.querySelector("dialog[open], :popover-open")) return;
    const { key, altKey: isAlt } = event;
    const stroke = { key, isAlt, isCommand: event.ctrlKey || event.metaKey, isTyping: isTyping(event.target) };
    const reading = readStroke(isPrefix, stroke, hasSingleKeys);
    isPrefix = reading.isPrefix;
    window.clearTimeout(timer);
    if (isPrefix) timer = window.setTimeout(() => (isPrefix = false), PREFIX_MS);
    const handler = reading.action && registry.handlerOf(reading.action);
    if (!handler) return;
    event.preventDefault();
    handler();
  };
  document.addEventListener("keydown", onKey);
  return () => {
    window.clearTimeout(timer);
    document.removeEventListener("keydown", onKey);
  };
}

const NO_TEXT: ReadonlySet<string> = new Set(["checkbox", "radio", "button", "submit", "range"]);

/** Returns whether the element takes letters; a select takes them to find an option. */
function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NO_TEXT.has(target.type);
  return target instanceof HTMLElement && (target.isContentEditable || ["TEXTAREA", "SELECT"].includes(target.tagName));
}
