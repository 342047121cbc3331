/** A comparison of jobs of one kind. The jobs, the base job and the options are in the URL. */
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { jobQuery } from "../../data/job";
import type { JobView } from "../../api/types";
import { QueryError } from "../../components/states/QueryError";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { Skeleton } from "../../components/states/Skeleton";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { comparedIds, tooManyWords } from "../../lib/sweep/compare";
import pageCommands from "../../lib/pageCommands.json";
import { isBenchmark } from "../../lib/state";
import { useCompareSearch } from "./CompareControls";
import classes from "./ComparePage.module.css";
import { JobChoice } from "./JobChoice";
import { SweepComparison } from "./SweepComparison";
import { TrainingComparison } from "./TrainingComparison";

export function ComparePage() {
  usePageTitle("compare");
  const [search] = useCompareSearch();
  const ids = comparedIds(search.ids);
  const tooMany = tooManyWords(search.ids);
  const jobs = useQueries({ queries: ids.map((id) => jobQuery(id)) });
  const found = jobs.flatMap((query) => (query.data ? [query.data] : []));
  const failed = jobs.find((query) => query.error && !query.data);
  const { sweeps, training, others } = sorted(found);
  const isOver = jobs.every((query) => !query.isPending);
  return (
    <div className="page">
      <h1>{training.length > 0 ? "Compare training jobs" : "Compare benchmarks"}</h1>
      {failed && <QueryError what="A job could not be loaded" query={failed} />}
      {tooMany && <p role="note">{tooMany}</p>}
      {others.length > 0 && <p>{leftOut(others, training.length > 0)}</p>}
      {sweeps.length > 0 && isOver && <SweepComparison jobs={sweeps} />}
      {training.length > 0 && <TrainingComparison jobs={training} />}
      {isOver && sweeps.length + training.length === 1 && <AnotherJob chosen={[...sweeps, ...training]} />}
      {!isOver && found.length === 0 && <Skeleton rows={14} />}
      {isOver && !failed && sweeps.length + training.length === 0 && <NoChoice />}
    </div>
  );
}

/** The first benchmark or training job determines which kind is compared; the others are left out. */
function sorted(jobs: readonly JobView[]): { sweeps: JobView[]; training: JobView[]; others: JobView[] } {
  const first = jobs.find((job) => isBenchmark(job) || job.spec.training != null);
  const isOfKind = (job: JobView): boolean => job.kind === first?.kind;
  const compared = jobs.filter(isOfKind);
  const isOfSweeps = first !== undefined && isBenchmark(first);
  return { sweeps: isOfSweeps ? compared : [], training: isOfSweeps ? [] : compared, others: jobs.filter((job) => !isOfKind(job)) };
}

function leftOut(jobs: readonly JobView[], isTraining: boolean): string {
  const ids = jobs.map((job) => job.id).join(", ");
  const kind = isTraining ? "training" : "benchmark";
  return `Left out, because ${jobs.length === 1 ? "it is" : "they are"} no ${kind}: job ${ids}.`;
}

function NoChoice() {
  return (
    <section className="card" aria-label="Choice of jobs">
      <div className="card-head">
        <h2>No job is chosen</h2>
      </div>
      <JobChoice chosen={[]} />
      <div className={classes.otherWays}>
        <p className="dim">
          Older jobs: choose them in <Link to="/jobs">the list of jobs</Link> and press Compare there. In a terminal:
        </p>
        <ServerCommand text={pageCommands.diff} />
      </div>
    </section>
  );
}

function AnotherJob({ chosen }: { chosen: readonly JobView[] }) {
  return (
    <section className="card" aria-label="Choice of jobs">
      <div className="card-head">
        <h2>Choose the job to compare it with</h2>
      </div>
      <JobChoice key={chosen[0]?.id} chosen={chosen} />
    </section>
  );
}
