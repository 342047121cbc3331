import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";

interface Props extends Omit<TextInputProps, "value" | "onChange"> {
  label: string;
  value: string;
  /** Called with the text when the input loses focus or Enter is pressed, if the text has changed. */
  onCommit: (text: string) => void;
}

/** An input whose text counts once it is finished, so that the URL, for example, does not follow every letter. */
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
