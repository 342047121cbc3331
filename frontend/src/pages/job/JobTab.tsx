/** The part of a job's page that the URL names. */
import type { JobView, MeasurementView } from "../../api/types";
import type { Tab } from "../../lib/search";
import { Skeleton } from "../../components/Skeleton";
import { isBenchmark } from "../../lib/state";
import { Buckets } from "./Buckets";
import { Configuration } from "./Configuration";
import { Curve } from "./Curve";
import { Environment } from "./Environment";
import { Epochs } from "./Epochs";
import classes from "./JobPage.module.css";
import { Latency } from "./Latency";
import { Log } from "./Log";
import { NewestSteps } from "./NewestSteps";
import { NoRows } from "./NoRows";
import { Results } from "./Results";
import { Stragglers } from "./Stragglers";

const OF_BENCHMARKS: readonly Tab[] = ["results", "latency", "stragglers", "log", "configuration"];
const OF_OTHERS: readonly Tab[] = ["results", "log", "configuration"];

/** The parts that a job's page has. */
export function tabsOf(job: JobView): readonly Tab[] {
  return isBenchmark(job) ? OF_BENCHMARKS : OF_OTHERS;
}

interface Props {
  job: JobView;
  tab: Tab;
  /** undefined: they are on their way. */
  rows: readonly MeasurementView[] | undefined;
  /** They could not be loaded, which the page says. */
  isFailed: boolean;
}

export function JobTab({ job, tab, rows, isFailed }: Props) {
  if (tab === "log") return <Log job={job} />;
  if (tab === "configuration") {
    return (
      <div className={classes.columns}>
        <Configuration job={job} />
        <Environment jobId={job.id} />
      </div>
    );
  }
  if (!isBenchmark(job)) {
    return (
      <>
        <NewestSteps job={job} />
        <Curve job={job} />
        <Epochs job={job} />
        <Buckets job={job} />
      </>
    );
  }
  if (!rows) return isFailed ? null : <Skeleton rows={14} />;
  if (tab === "latency") return <Latency job={job} rows={rows} />;
  if (tab === "stragglers") return <Stragglers job={job} rows={rows} />;
  // While it runs the axes stand there already, with what the model foresees.
  if (rows.length === 0 && job.state !== "running") return <NoRows job={job} />;
  return (
    <>
      <NewestSteps job={job} />
      <Results job={job} rows={rows} />
    </>
  );
}
