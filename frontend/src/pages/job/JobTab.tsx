/** The part of a job's page that the URL names. */
import { Suspense, useEffect } from "react";
import { lazyPart } from "../../components/lazyPart";
import type { JobView, MeasurementView } from "../../api/types";
import type { Tab } from "../../lib/search/search";
import { Skeleton } from "../../components/states/Skeleton";
import { isBenchmark, isImported, isTerminal } from "../../lib/state";
import { Now } from "./now/Now";
import { StepFiles } from "./results/StepFiles";

const OF_BENCHMARKS: readonly Tab[] = ["results", "latency", "stragglers", "log", "configuration"];
const OF_IMPORTED: readonly Tab[] = ["results", "configuration"];
const OF_OTHERS: readonly Tab[] = ["results", "log", "configuration"];

/** The parts that a job's page has. */
export function tabsOf(job: JobView): readonly Tab[] {
  if (isImported(job)) return OF_IMPORTED;
  return isBenchmark(job) ? OF_BENCHMARKS : OF_OTHERS;
}

// The parts that are not needed for the first paint.
const LOADS = {
  cancel: () => import("./header/CancelDialog"),
  judgement: () => import("./judgement/JudgementCard"),
  lastLines: () => import("./log/LastLines"),
  latency: () => import("./latency/Latency"),
  log: () => import("./log/Log"),
  chartOptions: () => import("./results/ChartOptions"),
  comparison: () => import("./results/ComparisonTable"),
  more: () => import("./header/MoreActions"),
  noRows: () => import("./NoRows"),
  results: () => import("./results/Results"),
  setUp: () => import("./setup/SetUp"),
  steps: () => import("./now/Steps"),
  stragglers: () => import("./stragglers/Stragglers"),
  training: () => import("./training/TrainingResults"),
};
const JudgementCard = lazyPart(async () => (await LOADS.judgement()).JudgementCard);
const Latency = lazyPart(async () => (await LOADS.latency()).Latency);
const Log = lazyPart(async () => (await LOADS.log()).Log);
const NoRows = lazyPart(async () => (await LOADS.noRows()).NoRows);
const Results = lazyPart(async () => (await LOADS.results()).Results);
const SetUp = lazyPart(async () => (await LOADS.setUp()).SetUp);
const Stragglers = lazyPart(async () => (await LOADS.stragglers()).Stragglers);
const TrainingResults = lazyPart(async () => (await LOADS.training()).TrainingResults);
const REST_AFTER_MS = 2_000;

/** Loads the results, the most used part, while their rows load or before a waiting job has any. */
function useResults(isOpen: boolean): void {
  useEffect(() => {
    // A part that cannot be loaded fails where it is drawn.
    if (isOpen) void LOADS.results().catch(() => undefined);
  }, [isOpen]);
}

/** Loads all parts soon, so that each opens at once, even while the server cannot be reached. */
function useRest(): void {
  useEffect(() => {
    const timer = window.setTimeout(() => void Promise.allSettled(Object.values(LOADS).map((load) => load())), REST_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, []);
}

interface Props {
  job: JobView;
  tab: Tab;
  /** undefined: they are loading. */
  rows: readonly MeasurementView[] | undefined;
  /** They could not be loaded; the page shows the error. */
  isFailed: boolean;
}

export function JobTab(props: Props) {
  useResults(isBenchmark(props.job) && props.tab === "results");
  useRest();
  return (
    <Suspense fallback={<Skeleton rows={14} />}>
      <Part {...props} />
    </Suspense>
  );
}

/** The runs of a search and the pairs of a diagnosis report no steps. */
export const hasSteps = ({ kind }: Pick<JobView, "kind">) => kind === "training" || kind === "script";

function Part({ job, tab, rows, isFailed }: Props) {
  if (tab === "log") return <Log job={job} />;
  if (tab === "configuration") return <SetUp job={job} />;
  if (!isBenchmark(job)) {
    return (
      <>
        <Now job={job} />
        {job.progress.done === 0 && isTerminal(job.state) ? (
          <NoRows job={job} />
        ) : (
          <>
            <TrainingResults job={job} />
            {hasSteps(job) && (
              <div className="card">
                <StepFiles jobId={job.id} />
              </div>
            )}
          </>
        )}
      </>
    );
  }
  if (!rows) return isFailed ? null : <Skeleton rows={14} />;
  if (tab === "latency") return <Latency job={job} rows={rows} />;
  if (tab === "stragglers") return <Stragglers job={job} rows={rows} />;
  const judgement = job.state === "succeeded" && <JudgementCard jobId={job.id} />;
  return (
    <>
      <Now job={job} />
      {isImported(job) && judgement}
      {/* Before the first row the axes are shown, with the model's prediction. */}
      {rows.length > 0 || !isTerminal(job.state) ? <Results job={job} rows={rows} /> : <NoRows job={job} />}
      {!isImported(job) && judgement}
    </>
  );
}
