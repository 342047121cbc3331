/** Files of other tools, chosen with the button or dropped anywhere on the page. */
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useCallback, useRef, useState } from "react";
import { lazyPart } from "../../components/lazyPart";
import { useDrop } from "../../components/hooks/useDrop";
import { useRole } from "../../components/hooks/useRole";
import { chooseFiles } from "../../components/imports/files";

const ImportDialog = lazyPart(async () => (await import("../../components/imports/ImportDialog")).ImportDialog);

export function ImportFiles() {
  const { mayChange } = useRole();
  const input = useRef<HTMLInputElement>(null);
  const [files, setFiles] = useState<readonly File[]>([]);
  const close = useCallback(() => setFiles([]), []);
  const navigate = useNavigate();
  // Who may store nothing still learns what a file says.
  const diagnose = useCallback(
    (dropped: readonly File[]) => {
      chooseFiles(dropped);
      void navigate({ to: "/diagnose" });
    },
    [navigate],
  );
  useDrop(mayChange ? setFiles : diagnose);
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
