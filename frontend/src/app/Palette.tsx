import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { paletteJobsQuery, recentJobsQuery } from "../data/jobs";
import { nodesQuery } from "../data/nodes";
import { frameClass } from "../components/controls/Dialog";
import { useShortcuts } from "../components/hooks/shortcuts";
import { found, jobNumber } from "./palette";
import { entriesOf, type Command, deedsHere } from "./commands";
import classes from "./Palette.module.css";

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** The actions that every page has. */
  commands: readonly Command[];
  /** Other words by which an action is found. */
  more: readonly Command[];
  go: (path: string) => void;
}

/**
 * Finds any page, job, node or action by a few letters of its name.
 *
 * This is a popover and no modal dialog: a modal makes the page behind it inert, for which browsers compute the style of
 * each of its elements, twice for a key that is pressed all day. Only the input can have the focus in here, and it keeps
 * the focus until Escape or a click elsewhere.
 */
export function Palette({ isOpen, onClose, ...rest }: Props) {
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    popup.current?.showPopover();
    popup.current?.querySelector("input")?.focus();
  }, [isOpen]);
  return (
    <div
      ref={popup}
      popover="auto"
      role="dialog"
      aria-modal
      aria-labelledby={id}
      className={`${frameClass} ${classes.popup}`}
      onToggle={(event) => event.newState === "closed" && onClose()}
    >
      <h2 id={id}>Go to or do</h2>
      {isOpen && <Search onClose={() => popup.current?.hidePopover()} {...rest} />}
    </div>
  );
}

function Search({ commands, more, go, onClose }: Omit<Props, "isOpen">) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const { registry } = useShortcuts();
  const matches = useMatches(text, commands, [...deedsHere(registry.handlerOf), ...more], go);
  const current = matches[Math.min(at, matches.length - 1)];
  const run = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") run(current);
    else if (step && matches.length > 0) setAt((Math.min(at, matches.length - 1) + step + matches.length) % matches.length);
    else if (event.key !== "Tab") return;
    event.preventDefault();
  };
  return (
    <>
      <input
        className={classes.input}
        role="combobox"
        aria-label="Page, job, node or command"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={current && `${list}-${current.id}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Page, job number or name, node …"
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div id={list} role="listbox" aria-label="What was found" className={classes.list}>
        {matches.map((command) => (
          // The input handles the keys: the focus stays there, as in a combobox.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={command.id}
            id={`${list}-${command.id}`}
            role="option"
            aria-selected={command === current}
            tabIndex={-1}
            className={classes.option}
            onClick={() => run(command)}
          >
            <span className="dim">{command.kind}</span>
            <span className={classes.title}>{command.title}</span>
            <span className={classes.note}>{command.note}</span>
            {command.key && <kbd>{command.key}</kbd>}
          </div>
        ))}
      </div>
      <p className={classes.hint} role="status">
        {matches.length === 0 ? `No match for “${text.trim()}”.` : "↑ ↓ choose, Enter goes there, Escape closes."}
      </p>
    </>
  );
}

function useMatches(text: string, commands: readonly Command[], more: readonly Command[], go: (path: string) => void): Command[] {
  const wanted = useDeferredValue(text.trim());
  const nodes = useQuery(nodesQuery);
  const recent = useQuery(recentJobsQuery);
  const named = useQuery({ ...paletteJobsQuery(wanted), enabled: wanted.length > 1 });
  const jobs = wanted.length > 1 ? [...(recent.data ?? []), ...(named.data ?? [])] : (recent.data ?? []).slice(0, 5);
  const all = [...commands, ...entriesOf(jobs, nodes.data ?? [], go), ...(wanted === "" ? [] : more)];
  const number = jobNumber(text);
  const byNumber = number === null ? [] : [{ id: "number", kind: "Job", title: `Job ${number}`, run: () => go(`/jobs/${number}`) }];
  const unique = new Map(all.map((entry) => [entry.id, entry]));
  return [...byNumber, ...found([...unique.values()], text)].filter((entry) => entry.id !== `job-${number}`);
}
