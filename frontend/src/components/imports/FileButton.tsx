/** A button that opens the browser's choice of files. */
import { Button, type ButtonProps } from "@mantine/core";
import { useRef } from "react";

interface Props extends ButtonProps {
  /** The name of the input, for screen readers. */
  files: string;
  title?: string;
  onFiles: (files: readonly File[]) => void;
}

export function FileButton({ files: name, onFiles, ...button }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={name}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          if (files.length > 0) onFiles(files);
          // The same file can be chosen again.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
