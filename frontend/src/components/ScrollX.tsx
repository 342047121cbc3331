import type { ReactNode } from "react";

/** Something wide, such as a table on a phone; what scrolls must be reachable by keyboard, and so has a name. */
export function ScrollX({ label, children }: { label: string; children: ReactNode }) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="scroll-x" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
