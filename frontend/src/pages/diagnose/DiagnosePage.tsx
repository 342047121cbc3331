/** Files of other programs: dropped here, each is named and explained. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense, useCallback, useState } from "react";
import type { ExplainedFiles } from "../../api/types";
import { useDrop } from "../../components/hooks/useDrop";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { lazyPart } from "../../components/lazyPart";
import { ErrorNote } from "../../components/states/ErrorNote";
import { Skeleton } from "../../components/states/Skeleton";
import { FileButton } from "../../components/imports/FileButton";
import { chooseFiles, chosenFiles, explanationQuery, whyNot } from "../../components/imports/files";
import { plural } from "../../lib/format";
import { FileList } from "./FileList";
import classes from "./Diagnose.module.css";

const HangView = lazyPart(async () => (await import("./hang/HangView")).HangView);
const NcclLogView = lazyPart(async () => (await import("./channels/NcclLogView")).NcclLogView);
const InspectorView = lazyPart(async () => (await import("./inspector/InspectorView")).InspectorView);
const RasView = lazyPart(async () => (await import("./RasView")).RasView);
const ResultsView = lazyPart(async () => (await import("./ResultsView")).ResultsView);

const CHOOSER = "Files to explain";

export function DiagnosePage() {
  usePageTitle("diagnose");
  const [chosen, setChosen] = useState(chosenFiles);
  const choose = useCallback((files: readonly File[]) => setChosen(chooseFiles(files)), []);
  useDrop(choose);
  const refused = whyNot(chosen.files);
  const query = explanationQuery(chosen);
  const answer = useQuery({ ...query, enabled: query.enabled === true && refused === null });
  const isEmpty = chosen.files.length === 0;
  return (
    <div className="page">
      <div className="page-head">
        <h1>Diagnose a file</h1>
        {!isEmpty && <p className="dim">{plural(chosen.files.length, "file")}</p>}
        {!isEmpty && <FileButton className="spread" files={CHOOSER} onFiles={choose}>Other files …</FileButton>}
      </div>
      {isEmpty && <Invitation onFiles={choose} />}
      {refused !== null && <p role="alert">{refused}</p>}
      {answer.error && <ErrorNote what="The files were not explained" error={answer.error} onRetry={() => void answer.refetch()} />}
      {answer.isLoading && <Skeleton rows={8} />}
      <div role="status" className="hidden-visually">
        {answer.data && "The files are explained."}
      </div>
      {answer.data && <Parts told={answer.data} files={chosen.files} />}
    </div>
  );
}

function Parts({ told, files }: { told: ExplainedFiles; files: readonly File[] }) {
  const namesOf = (kind: string): string[] => told.files.filter((file) => file.kinds.some((one) => one === kind)).map(({ name }) => name);
  return (
    <>
      <FileList files={told.files} />
      <Suspense fallback={<Skeleton rows={8} />}>
        {told.hang && <HangView part={told.hang} names={namesOf("flight_recorder")} />}
        {told.nccl_log && <NcclLogView part={told.nccl_log} names={namesOf("nccl_log")} />}
        {told.nccl_inspector && <InspectorView part={told.nccl_inspector} names={namesOf("nccl_inspector")} />}
        {told.nccl_ras.length > 0 && <RasView reports={told.nccl_ras} />}
        {told.results.length > 0 && <ResultsView previews={told.results} files={files} />}
      </Suspense>
    </>
  );
}

/** The files that are known, and what is said about them. */
const KINDS = [
  ["Flight Recorder dumps of all ranks", "which rank is missing in which operation"],
  ["Logs of NCCL_DEBUG=INFO", "NCCL's rings and trees, and the transport of each edge"],
  ["Records of NCCL Inspector", "bus bandwidth over a job's time, with its drops"],
  ["A report of NCCL's RAS", "ranks that do not answer or are behind"],
  ["A result of nccl-tests, rccl-tests, OSU or SuperBench", "whether the number is what was to be expected"],
] as const;

function Invitation({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  return (
    <section className={`card ${classes.invitation}`} aria-label="Files that are known">
      <p>
        For a slow node or link, <Link to="/nodes" hash="links">measure all links</Link>, or press Diagnose on the page
        of <Link to="/jobs" search={{ judgement: "low" }}>a job judged low</Link>. For the rest, give a file.
      </p>
      <p className={`${classes.answer} ${classes.byMouse}`}>Drop files anywhere on this page, also of several kinds at once.</p>
      <p className={`${classes.answer} ${classes.byTouch}`}>Choose one or more files, also of several kinds at once.</p>
      <FileButton variant="filled" files={CHOOSER} onFiles={onFiles}>
        Choose files …
      </FileButton>
      <dl className={classes.kinds}>
        {KINDS.map(([what, says]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd className="dim">{says}</dd>
          </div>
        ))}
      </dl>
      <p className="dim">The server reads the files and stores nothing. In a terminal the same is done by <code>ringscope hang</code>, <code>nccl-log</code>, <code>nccl-inspector</code>, <code>nccl-ras</code> and <code>import --dry-run</code>.</p>
    </section>
  );
}
