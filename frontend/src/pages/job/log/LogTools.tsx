/** The filter of the log's lines, and how they are shown. */
import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type ReactNode, useCallback, useRef, useState } from "react";
import type { JobView } from "../../../api/types";
import { useShortcut } from "../../../components/hooks/shortcuts";
import { LEVELS, STREAMS } from "../../../lib/search/search";
import classes from "./Log.module.css";
import { useView } from "../useView";

const TYPING_MS = 250;

interface Props {
  job: JobView;
  /** What is wrong with the text, in a sentence. */
  problem: string | null;
  children: ReactNode;
}

export function LogTools({ job, problem, children }: Props) {
  const [{ log: text, match, rank, stream, level, wrap }, set] = useView();
  const isRegex = match === "regex";
  return (
    <div className={classes.tools}>
      <Search text={text ?? ""} isRegex={isRegex} problem={problem} onChange={(value) => set({ log: value || undefined })} />
      <Checkbox
        label="Regex"
        title="Regular expression; begin with (?i) to ignore case"
        checked={isRegex}
        onChange={(event) => set({ match: event.currentTarget.checked ? "regex" : undefined })}
      />
      <NativeSelect
        size="xs"
        aria-label="Which stream"
        value={stream ?? ""}
        onChange={(event) => set({ stream: event.currentTarget.value || undefined })}
        data={[{ value: "", label: "all streams" }, ...STREAMS]}
      />
      <NativeSelect
        size="xs"
        aria-label="From which level"
        title="By words in the line: WARN, ValueError, fatal …"
        value={level ?? ""}
        onChange={(event) => set({ level: event.currentTarget.value || undefined })}
        data={[{ value: "", label: "all levels" }, { value: LEVELS[0], label: "warnings, errors" }, { value: LEVELS[1], label: "errors" }]}
      />
      <NativeSelect
        size="xs"
        aria-label="Rank"
        value={rank ?? ""}
        onChange={(event) => set({ rank: event.currentTarget.value || undefined })}
        data={[{ value: "", label: "all ranks" }, ...Array.from({ length: job.ranks }, (_, i) => ({ value: String(i), label: `rank ${i}` }))]}
      />
      <Checkbox
        label="Wrap"
        checked={wrap !== "off"}
        onChange={(event) => set({ wrap: event.currentTarget.checked ? undefined : "off" })}
      />
      {children}
    </div>
  );
}

interface SearchProps {
  text: string;
  isRegex: boolean;
  problem: string | null;
  onChange: (text: string) => void;
}

/** The URL follows once typing pauses. */
function Search({ text, isRegex, problem, onChange }: SearchProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const follow = useDebouncedCallback((value: string) => {
    onChange(value);
    setTyped(null);
  }, TYPING_MS);
  const input = useRef<HTMLInputElement>(null);
  useShortcut("filter", useCallback(() => input.current?.focus(), []));
  return (
    <TextInput
      ref={input}
      type="search"
      size="xs"
      className={classes.search ?? ""}
      aria-label={isRegex ? "Lines that match" : "Lines with these words"}
      placeholder={isRegex ? "regex" : "words"}
      spellCheck={false}
      error={problem}
      value={typed ?? text}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        follow(event.currentTarget.value);
      }}
    />
  );
}
