/** A comparison of jobs of one kind. The jobs, the base job and the options are in the URL. */
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { jobQuery } from "../../data/job";
import type { JobView } from "../../api/types";
import { QueryError } from "../../components/states/QueryError";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { Skeleton } from "../../components/states/Skeleton";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { comparedIds, isComparable, tooManyWords } from "../../lib/sweep/compare";
import pageCommands from "../../lib/pageCommands.json";
import { isBenchmark } from "../../lib/state";
import { useCompareSearch } from "./CompareControls";
import classes from "./ComparePage.module.css";
import { JobChoice } from "./JobChoice";
import { SearchComparison } from "./SearchComparison";
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
  const { kind, compared, others } = sorted(found);
  const isOver = jobs.every((query) => !query.isPending);
  const isOne = isOver && compared.length === 1; // it has a page of its own; here another one is to be chosen
  return (
    <div className="page">
      <h1>Compare {compared.length > 0 ? TITLES[kind] : "jobs"}</h1>
      {failed && <QueryError what="A job could not be loaded" query={failed} />}
      {tooMany && <p role="note">{tooMany}</p>}
      {others.length > 0 && <p>{leftOut(others, kind)}</p>}
      {compared.length > 1 && kind === "benchmark" && isOver && <SweepComparison jobs={compared} />}
      {compared.length > 1 && kind === "training" && <TrainingComparison jobs={compared} />}
      {compared.length > 1 && kind === "strategy search" && <SearchComparison jobs={compared} />}
      {isOne && <AnotherJob chosen={compared} />}
      {!isOver && compared.length < 2 && <Skeleton rows={14} />}
      {isOver && !failed && compared.length === 0 && <NoChoice />}
    </div>
  );
}

type Kind = "benchmark" | "training" | "strategy search";
const TITLES: Record<Kind, string> = { benchmark: "benchmarks", training: "training jobs", "strategy search": "strategy searches" };

/** The first job that can be compared determines the kind; jobs of other kinds are left out. */
function sorted(jobs: readonly JobView[]): { kind: Kind; compared: JobView[]; others: JobView[] } {
  const first = jobs.find(isComparable);
  const isOfKind = (job: JobView): boolean => job.kind === first?.kind;
  const kind = !first || isBenchmark(first) ? "benchmark" : first.spec.training ? "training" : "strategy search";
  return { kind, compared: jobs.filter(isOfKind), others: jobs.filter((job) => !isOfKind(job)) };
}

function leftOut(jobs: readonly JobView[], kind: Kind): string {
  const ids = jobs.map((job) => job.id).join(", ");
  return `Left out, because ${jobs.length === 1 ? "it is" : "they are"} no ${kind}: job ${ids}.`;
}

function NoChoice() {
  return (
    <section className="card" aria-label="Choice of jobs">
      <div className="card-head">
        <h2>Choose jobs to compare</h2>
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
        <h2>Choose what to compare job {chosen[0]?.id} with</h2>
      </div>
      <JobChoice key={chosen[0]?.id} chosen={chosen} />
    </section>
  );
}
