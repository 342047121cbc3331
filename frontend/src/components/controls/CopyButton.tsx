import { Button } from "@mantine/core";
import { useEffect, useState } from "react";

/** A text, or what makes it once it is asked for. */
export type CopyText = string | (() => string | Promise<string>);

interface Props {
  text: CopyText;
  label: string;
}

const LOOKS = { copied: "✓ copied", refused: "✕ the browser did not copy it" };

/** Copies a text and shows for two seconds whether that worked. */
export function CopyButton({ text, label }: Props) {
  const [outcome, setOutcome] = useState<keyof typeof LOOKS | null>(null);
  useEffect(() => {
    if (!outcome) return;
    const timer = window.setTimeout(() => setOutcome(null), 2000);
    return () => window.clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => {
    const isCopied = await textOf(text).then(copyText).catch(() => false);
    setOutcome(isCopied ? "copied" : "refused");
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{outcome ? LOOKS[outcome] : label}</span>
    </Button>
  );
}

async function textOf(text: CopyText): Promise<string> {
  return typeof text === "string" ? text : text();
}

/** Returns whether the text was copied. Also works on plain http from another machine, where browsers have no clipboard object. */
async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}
