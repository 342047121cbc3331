/** Files of other tools, chosen with the button or dropped anywhere on the page. */
import { useNavigate } from "@tanstack/react-router";
import { Suspense, useCallback, useState } from "react";
import { lazyPart } from "../../components/lazyPart";
import { useDrop } from "../../components/hooks/useDrop";
import { useRole } from "../../components/hooks/useRole";
import { FileButton } from "../../components/imports/FileButton";
import { chooseFiles } from "../../components/imports/files";

const ImportDialog = lazyPart(async () => (await import("../../components/imports/ImportDialog")).ImportDialog);

const TITLE = "Results of nccl-tests, rccl-tests, OSU, SuperBench or NCCL Inspector; files can also be dropped on this page";

export function ImportFiles() {
  const { mayChange } = useRole();
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
      <FileButton className="spread" title={TITLE} files="Files with results" onFiles={setFiles}>
        Import …
      </FileButton>
      {files.length > 0 && (
        <Suspense>
          <ImportDialog files={files} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
