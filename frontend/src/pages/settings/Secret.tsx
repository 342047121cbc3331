import { Button } from "@mantine/core";
import { Command } from "../../components/controls/Command";
import { buttonsClass, Dialog } from "../../components/controls/Dialog";

interface Props {
  /** The owner of the secret, such as "token ci"; null: there is none to show. */
  of: string | null;
  secret: string;
  /** What to do with it. */
  hint: string;
  onClose: () => void;
}

/** A secret, which is shown only once. */
export function Secret({ of, secret, hint, onClose }: Props) {
  return (
    <Dialog title={`The secret of ${of ?? ""}`} isOpen={of !== null} onClose={onClose} isWide>
      <p>
        <strong>Copy it now; it cannot be shown again.</strong> {hint}
      </p>
      <Command text={secret} label="Copy secret" />
      <div className={buttonsClass}>
        <Button variant="filled" onClick={onClose}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
