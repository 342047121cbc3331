import { Link } from "@tanstack/react-router";
import { marked } from "./marked";
import { pageOf } from "./pageOf";

/** What to do next. A command for which there is a page is a link to it. */
export function Advice({ text }: { text: string }) {
  return (
    <p>
      <span className="dim">Next: </span>
      {marked(text).map(({ text: part, isCode }, i) => (isCode ? <Command key={i} text={part} /> : part))}
    </p>
  );
}

function Command({ text }: { text: string }) {
  const page = pageOf(text);
  const code = <code>{text}</code>;
  return page ? <Link {...page}>{code}</Link> : code;
}
