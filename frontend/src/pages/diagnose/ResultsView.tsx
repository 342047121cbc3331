/** Results of other tools: what is read, whether the number is what was to be expected, and the way to store it. */
import { Button } from "@mantine/core";
import { Suspense, useCallback, useState } from "react";
import type { FilePreview } from "../../api/types";
import { useRole } from "../../components/hooks/useRole";
import { PreviewedFile } from "../../components/imports/PreviewedFile";
import { lazyPart } from "../../components/lazyPart";
import { plural } from "../../lib/format";
import classes from "./Diagnose.module.css";

const ImportDialog = lazyPart(async () => (await import("../../components/imports/ImportDialog")).ImportDialog);

export function ResultsView({ previews, files }: { previews: readonly FilePreview[]; files: readonly File[] }) {
  const { mayChange } = useRole();
  const [isOpen, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const names = new Set(previews.map(({ path }) => path));
  const these = files.filter((file) => names.has(file.webkitRelativePath || file.name));
  return (
    <section className="card" aria-labelledby="results">
      <div className="card-head">
        <h2 id="results">Is my number OK?</h2>
        {mayChange && (
          <Button className="spread" title="Store the tables as jobs, and state what the files lack" onClick={() => setOpen(true)}>
            Import {plural(these.length, "file")} …
          </Button>
        )}
      </div>
      <div className={`card-body ${classes.part}`}>
        {previews.map((file, i) => (
          <PreviewedFile key={`${i}/${file.path}`} file={file} />
        ))}
      </div>
      {isOpen && (
        <Suspense>
          <ImportDialog files={these} onClose={close} />
        </Suspense>
      )}
    </section>
  );
}
