import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";

interface Props extends Omit<TextInputProps, "value" | "onChange"> {
  label: string;
  value: string;
  /** The text when the input is left or Enter is pressed, if it is another one. */
  onCommit: (text: string) => void;
}

/** A text that counts once it is finished: what it steers, such as the URL, does not follow every letter. */
export function DraftInput({ value, onCommit, ...rest }: Props) {
  const [draft, setDraft] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setDraft(value);
  }
  const commit = (): void => {
    if (draft !== value) onCommit(draft);
  };
  return (
    <TextInput
      {...rest}
      value={draft}
      onChange={(event) => setDraft(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
    />
  );
}
