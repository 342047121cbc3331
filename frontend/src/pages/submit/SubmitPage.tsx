/** A new job: the form of its kind. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { jobQuery } from "../../data/job";
import { nodesQuery } from "../../data/nodes";
import { engineQuery } from "../../data/server";
import type { Engine, JobSpec } from "../../api/types";
import { FailedPage } from "../../components/states/FailedPage";
import { NeedsRole } from "../../components/states/NeedsRole";
import { PageSkeleton } from "../../components/states/Skeleton";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { useRole } from "../../components/hooks/useRole";
import { kindOf } from "../../lib/form/formSearch";
import { ScriptForm } from "./script/ScriptForm";
import { SearchForm } from "./search/SearchForm";
import { SweepForm } from "./sweep/SweepForm";
import { TrainingForm } from "./training/TrainingForm";

const route = getRouteApi("/jobs/new");

export function SubmitPage() {
  usePageTitle("new job");
  const { mayChange } = useRole();
  if (mayChange) return <NewJob />;
  return (
    <div className="page">
      <h1>New job</h1>
      <NeedsRole name="operator" />
    </div>
  );
}

/** With ?from=42 the form starts from job 42's specification, else ?kind= chooses the form. */
function NewJob() {
  const search = route.useSearch();
  const { from } = search;
  const job = useQuery({ ...jobQuery(Number(from)), enabled: from !== undefined });
  const engine = useQuery(engineQuery);
  const nodes = useQuery(nodesQuery);
  if (engine.error && !engine.data) {
    return <FailedPage title="New job" what="The choices could not be loaded" error={engine.error} onRetry={() => void engine.refetch()} />;
  }
  if (job.error && !job.data) return <FailedPage title="New job" what={`Job ${from} could not be loaded`} error={job.error} onRetry={() => void job.refetch()} />;
  // If the nodes could not be loaded, the form is shown with fewer hints.
  if (!engine.data || nodes.isPending || (from !== undefined && !job.data)) return <PageSkeleton title="New job" />;
  const kind = job.data?.kind ?? kindOf(search);
  return <FormOfKind key={`${kind} ${from}`} kind={kind} engine={engine.data} base={job.data?.spec} from={from} />;
}

interface Props {
  kind: string;
  engine: Engine;
  base: JobSpec | undefined;
  from: string | undefined;
}

function FormOfKind({ kind, engine, base, from }: Props) {
  if (kind === "training") return <TrainingForm choices={engine.training} base={base} from={from} />;
  if (kind === "strategy_search") return <SearchForm engine={engine} base={base} from={from} />;
  if (kind === "script") return <ScriptForm choices={engine.training} base={base} from={from} />;
  const sweep = base?.benchmark ? { ...base, benchmark: base.benchmark } : undefined;
  return <SweepForm engine={engine} base={sweep} from={from} />;
}
