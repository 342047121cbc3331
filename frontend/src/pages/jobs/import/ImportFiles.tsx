/** Files of other tools, chosen with the button or dropped anywhere on the page. */
import { Button } from "@mantine/core";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { lazyPart } from "../../../components/lazyPart";
import { useRole } from "../../../components/hooks/useRole";

const ImportDialog = lazyPart(async () => (await import("./ImportDialog")).ImportDialog);

export function ImportFiles() {
  const { mayChange } = useRole();
  const input = useRef<HTMLInputElement>(null);
  const [files, setFiles] = useState<readonly File[]>([]);
  const close = useCallback(() => setFiles([]), []);
  useDrop(mayChange, setFiles);
  if (!mayChange) return null;
  return (
    <>
      <Button className="spread" title="Results of nccl-tests, rccl-tests, OSU or SuperBench; files can also be dropped on this page" onClick={() => input.current?.click()}>
        Import …
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files with results"
        onChange={({ currentTarget }) => {
          setFiles([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = "";
        }}
      />
      {files.length > 0 && (
        <Suspense>
          <ImportDialog files={files} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** Files that are dropped on the page; without this the browser would open them. */
function useDrop(isAllowed: boolean, onFiles: (files: readonly File[]) => void): void {
  useEffect(() => {
    if (!isAllowed) return undefined;
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      onFiles(files);
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
    };
  }, [isAllowed, onFiles]);
}
