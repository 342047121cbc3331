import { type ReactNode, useId } from "react";
import { Command } from "../../components/controls/Command";
import { StateBadge } from "../../components/marks/StateBadge";
import { shellQuote } from "../../lib/shell";
import classes from "./Diagnose.module.css";

const FOUND = { glyph: "!", text: "finding", tone: "warn" } as const;
const CLEAN = { glyph: "✓", text: "no finding", tone: "good" } as const;

interface Props {
  title: string;
  /** The sentence that says the most. */
  answer: string;
  isClean: boolean;
  /** The command that says the same in a terminal, with the names of the files. */
  command: string;
  names: readonly string[];
  children: ReactNode;
}

/** The explanation of one kind of file: the answer, its picture or table, and the command on request. */
export function Part({ title, answer, isClean, command, names, children }: Props) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        <StateBadge look={isClean ? CLEAN : FOUND} />
      </div>
      <div className={`card-body ${classes.part}`}>
        <p className={classes.answer}>{answer}</p>
        {children}
        <details>
          <summary>In a terminal</summary>
          <Command text={[`ringscope ${command}`, ...names.map(shellQuote)].join(" ")} />
        </details>
      </div>
    </section>
  );
}
