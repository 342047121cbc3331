import { type ReactNode, useEffect, useId, useRef } from "react";
import { keepFocus } from "../hooks/keepFocus";
import classes from "./Dialog.module.css";

interface Props {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Wide enough for a table. */
  isWide?: boolean;
  children: ReactNode;
}

/** Something to be answered before the page goes on; Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, isOpen, onClose, isWide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else if (dialog.current?.open) {
      dialog.current.close();
      // What had the focus may be gone: a job that was cancelled has no button to cancel it.
      keepFocus();
    }
  }, [isOpen]);
  return (
    <dialog ref={dialog} className={`${classes.frame} ${classes.dialog}`} data-wide={isWide || undefined} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {isOpen && children}
    </dialog>
  );
}

/** Of anything that lies over the page as a dialog does. */
export const frameClass = classes.frame;

/** Of the row of buttons at the end of a dialog. */
export const buttonsClass = classes.buttons;

/** Of a button that ends or removes something. */
export const DANGER = { color: "var(--surface)", background: "var(--bad)" };
