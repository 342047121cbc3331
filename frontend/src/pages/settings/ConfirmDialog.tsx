import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { buttonsClass, DANGER, Dialog } from "../../components/controls/Dialog";
import { ErrorNote } from "../../components/states/ErrorNote";

interface Props {
  /** The question, which names the object. */
  title: string;
  /** The label of the confirming button. */
  verb: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
  /** The consequences. */
  children: ReactNode;
}

/** Asks for confirmation before something is ended or removed. */
export function ConfirmDialog({ title, verb, isOpen, onClose, onConfirm, children }: Props) {
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p>{children}</p>
      {confirm.error && <ErrorNote what="The action failed" error={confirm.error} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="filled" style={DANGER} onClick={() => confirm.mutate()} aria-busy={confirm.isPending}>
          {verb}
        </Button>
      </div>
    </Dialog>
  );
}
