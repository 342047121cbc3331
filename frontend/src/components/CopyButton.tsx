import { Button } from "@mantine/core";
import { useEffect, useState } from "react";

interface Props {
  text: string | (() => string);
  label: string;
}

/** Copies a text and says so for two seconds. */
export function CopyButton({ text, label }: Props) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = window.setTimeout(() => setCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await copyText(typeof text === "string" ? text : text());
    setCopied(true);
  };
  return (
    <Button onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? "✓ copied" : label}</span>
    </Button>
  );
}

/** Also on plain http from another machine, where browsers offer no clipboard object. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
