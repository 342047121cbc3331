import { type ReactNode, useState } from "react";

interface Props {
  summary: ReactNode;
  className?: string | undefined;
  /** Something in it must be seen: it opens by itself. */
  isNeeded?: boolean;
  children: ReactNode;
}

/** A part that is folded until somebody opens it. What has never been open is not drawn, and costs a key press nothing. */
export function Folded({ summary, className, isNeeded = false, children }: Props) {
  const [isOpen, setOpen] = useState(isNeeded);
  const [wasNeeded, setWasNeeded] = useState(isNeeded);
  const [isDrawn, setDrawn] = useState(isNeeded);
  if (isNeeded !== wasNeeded) {
    setWasNeeded(isNeeded);
    if (isNeeded) setOpen(true);
  }
  if (isOpen && !isDrawn) setDrawn(true);
  return (
    <details className={className} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isDrawn && children}
    </details>
  );
}
