import { Button } from "@mantine/core";
import { type ReactNode, type ToggleEvent, useEffect, useId, useRef } from "react";
import classes from "./Popover.module.css";

const GAP_PX = 4;
const MARGIN_PX = 8;

interface Props {
  /** The text of the button. */
  label: string;
  /** The panel closes when this changes, such as the path of the open page. */
  place?: string;
  children: ReactNode;
}

/** A button that opens a panel below it. Escape or a click elsewhere closes the panel. */
export function Popover({ label, place, children }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (place !== undefined && panel.current?.matches(":popover-open")) panel.current.hidePopover();
  }, [place]);
  const put = ({ newState, currentTarget }: ToggleEvent<HTMLDivElement>): void => {
    if (newState !== "open" || !button.current) return;
    // The panel is in the top layer, where it is placed by the document and not by the button's parent.
    const { bottom, right } = button.current.getBoundingClientRect();
    const left = Math.max(MARGIN_PX, right - currentTarget.offsetWidth);
    Object.assign(currentTarget.style, { top: `${bottom + window.scrollY + GAP_PX}px`, left: `${left + window.scrollX}px` });
  };
  return (
    <>
      <Button ref={button} popoverTarget={id}>
        {label} <span aria-hidden="true">&nbsp;▾</span>
      </Button>
      <div ref={panel} id={id} popover="auto" role="group" aria-label={label} className={classes.panel} onToggle={put}>
        {children}
      </div>
    </>
  );
}
