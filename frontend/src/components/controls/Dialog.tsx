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

/** A question to answer before the page continues; Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, isOpen, onClose, isWide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else if (dialog.current?.open) {
      dialog.current.close();
      // The element that had the focus may be gone: a cancelled job has no Cancel button.
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

/** The class of anything that lies over the page as a dialog does. */
export const frameClass = classes.frame;

/** The class of the row of buttons at the end of a dialog. */
export const buttonsClass = classes.buttons;

/** The class of a form in a dialog. */
export const formClass = classes.form;

/** The style of a button that ends or removes something. */
export const DANGER = { color: "var(--surface)", background: "var(--bad)" };
