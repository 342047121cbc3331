import { type ReactNode, useEffect, useRef } from "react";
import classes from "./Tabs.module.css";

interface Props {
  label: string;
  /** What tells the current link from the others; when it changes, the link is scrolled to. */
  current: string;
  /** Links, of which the current one has aria-current. */
  children: ReactNode;
}

/** A row of links to the parts of a page; where it is wider than the window, the current one is in view. */
export function TabList({ label, current, children }: Props) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>("[aria-current='page']");
    if (nav.current && link) nav.current.scrollLeft = link.offsetLeft - nav.current.offsetLeft - MARGIN_PX;
  }, [current]);
  return (
    <nav ref={nav} aria-label={label} className={classes.tabs}>
      {children}
    </nav>
  );
}

/** So that an earlier link shows that there are more. */
const MARGIN_PX = 48;
