import { marked } from "./marked";

/** What to do next, with the commands. */
export function Advice({ text }: { text: string }) {
  return (
    <p>
      <span className="dim">Next: </span>
      {marked(text).map(({ text: part, isCode }, i) => (isCode ? <code key={i}>{part}</code> : part))}
    </p>
  );
}
