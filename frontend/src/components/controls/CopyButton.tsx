import { Button } from "@mantine/core";
import { useEffect, useState } from "react";

interface Props {
  text: string | (() => string);
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
    const isCopied = await copyText(typeof text === "string" ? text : text()).catch(() => false);
    setOutcome(isCopied ? "copied" : "refused");
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{outcome ? LOOKS[outcome] : label}</span>
    </Button>
  );
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
