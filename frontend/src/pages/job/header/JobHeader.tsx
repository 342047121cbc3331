import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Suspense, useCallback, useState } from "react";
import { lazyPart } from "../../../components/lazyPart";
import { ROOT } from "../../../api/site";
import type { JobView, MeasurementView } from "../../../api/types";
import { Caveats } from "../../../components/marks/Caveats";
import { ErrorNote } from "../../../components/states/ErrorNote";
import { passesFocus } from "../../../components/hooks/keepFocus";
import { QueryError } from "../../../components/states/QueryError";
import { Popover } from "../../../components/controls/Popover";
import { useShortcut } from "../../../components/hooks/shortcuts";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { StateBadge } from "../../../components/marks/StateBadge";
import { DEEDS } from "../../../lib/search/keys";
import { bestBusbw, isBenchmark, isImported, isTerminal, JOB_STATES, jobTitle, outcome } from "../../../lib/state";
import { useRole } from "../../../components/hooks/useRole";
import { CopyMenu } from "../../../components/controls/CopyMenu";
import { JobSteps } from "./JobSteps";
import classes from "./JobHeader.module.css";
import { useGraphs } from "./useGraphs";
import { useHold } from "./useHold";
import { useRangeVerdict } from "../useSizeRange";
import { useTraces } from "../useTraces";
import { useView } from "../useView";

// Neither is in sight when the page opens.
const CancelDialog = lazyPart(async () => (await import("./CancelDialog")).CancelDialog);
const MoreActions = lazyPart(async () => (await import("./MoreActions")).MoreActions);

interface Props {
  job: JobView;
  rows: readonly MeasurementView[];
  isSimulated: boolean;
}

/** Name, id, state and actions of the job. */
export function JobHeader({ job, rows, isSimulated }: Props) {
  const { mayChange, isAdmin } = useRole();
  const [isAsking, setAsking] = useState(false);
  const ask = useCallback(() => setAsking(true), []);
  // The dialog stays until it has given back the focus, also after the job has ended.
  const [mayEnd] = useState(() => !isTerminal(job.state));
  const isStopping = job.state === "stopping";
  useShortcut("cancel", mayChange && !isTerminal(job.state) && !isStopping ? ask : null);
  const hold = useHold(job);
  const traces = useTraces(job);
  const canBeBase = job.state === "succeeded" && bestBusbw(job) !== null;
  const graphs = useGraphs();
  const isOver = isTerminal(job.state);
  const [view] = useView();
  const part = useRangeVerdict(job);
  const sentence = part.data?.verdict ?? outcome(job);
  const hasMore = canBeBase || isAdmin || mayChange || (traces.data?.length ?? 0) > 0 || graphs.grafana_url != null || graphs.prometheus_url != null;
  return (
    <header className={classes.header}>
      <p className={classes.crumbs}>
        <Link to="/jobs">Jobs</Link>
        <span aria-hidden="true"> / </span>
        {job.id}{" "}
        <JobSteps jobId={job.id} />
      </p>
      <div className={`page-head ${classes.head}`}>
        {isSimulated && <SimulatedBadge />}
        <h1>{jobTitle(job)}</h1>
        <StateBadge look={JOB_STATES[job.state]} large />
        <Caveats job={job} />
        <div className={classes.actions}>
          {hold.verb && (
            <Button ref={passesFocus} onClick={hold.run} aria-busy={hold.isPending} title={DEEDS[hold.verb]}>
              {hold.verb === "hold" ? "Hold" : "Release"}
            </Button>
          )}
          {mayChange && !isOver && (
            // A disabled button would lose the focus.
            <Button ref={passesFocus} color="red" className={classes.cancel} {...(isStopping ? { "aria-disabled": true, "data-disabled": true } : { onClick: ask })}>
              Cancel
            </Button>
          )}
          <CopyMenu
            command={`ringscope why ${job.id}`}
            path={`/jobs/${job.id}`}
            more={[...formats(job, rows, sentence), ...(isSimulated || isImported(job) ? [] : [["PromQL", () => promqlOf(job)] as const])]}
          >
            {isBenchmark(job) && rows.length > 0 && !view.tab && view.view !== "table" && (
              <Button onClick={() => void import("../results/picture").then(({ savePicture }) => savePicture(job, sentence))}>Save PNG</Button>
            )}
            {isBenchmark(job) && (
              <a href={`${ROOT}/api/v1/jobs/${job.id}/report`} download title="Rows, judgement and chart in one file, for others">
                Report
              </a>
            )}
          </CopyMenu>
          {hasMore && (
            <Popover label="More">
              <Suspense>
                <MoreActions job={job} />
              </Suspense>
            </Popover>
          )}
        </div>
      </div>
      <QueryError what="The traces of the job could not be loaded" query={traces} />
      {hold.error && <ErrorNote what="The job was neither held nor released" error={hold.error} />}
      {mayChange && mayEnd && (
        <Suspense>
          <CancelDialog job={job} isOpen={isAsking} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </header>
  );
}

/** PromQL of the job's bus bandwidth. */
async function promqlOf(job: JobView): Promise<string> {
  return (await import("./graphs")).busBandwidthQuery(job.id);
}

/** The formats of the results of a benchmark or a strategy search. Their code loads when one is asked for. */
function formats(job: JobView, rows: readonly MeasurementView[], sentence: string): (readonly [string, () => Promise<string>])[] {
  if (job.spec.strategy_search) return (["Markdown", "CSV"] as const).map((name) => [name, async () => (await import("../training/searchCopies")).copyOf(name, job)] as const);
  if (!isBenchmark(job) || rows.length === 0) return [];
  return [
    ["Markdown", async () => (await import("../results/copies")).markdownOf(job, sentence, window.location.href)],
    ["CSV", async () => (await import("../results/copies")).csvOf(job, rows)],
  ];
}
