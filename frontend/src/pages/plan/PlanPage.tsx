/** Predicted times of collectives on a described cluster. Every field is in the URL. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ApiError } from "../../api/client";
import { site } from "../../api/site";
import { fitQuery, planQuery } from "../../data/planning";
import { engineQuery } from "../../data/server";
import { CopyMenu } from "../../components/controls/CopyMenu";
import { QueryError } from "../../components/states/QueryError";
import { Skeleton } from "../../components/states/Skeleton";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { useProgram } from "../../components/hooks/useProgram";
import { formatSeconds } from "../../lib/amount";
import { postCommand } from "../../lib/command";
import { planCommand, planForm, planProblems, planQuestion, type PlanSearch, planSearch } from "../../lib/form/planForm";
import { Answer } from "./Answer";
import { FitPanel } from "./FitPanel";
import { PlanFields } from "./PlanFields";
import { Presets } from "./Presets";
import { PriceCharts } from "./PriceCharts";
import { sizeWriter } from "../../lib/size";
import { PriceTable } from "./PriceTable";
import { SensitivityTable } from "./SensitivityTable";
import { WinnerMap } from "./WinnerMap";

const route = getRouteApi("/plan");

export function PlanPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const form = planForm(search);
  const engine = useQuery(engineQuery);
  const fit = useQuery({ ...fitQuery(Number(search.fit)), enabled: search.fit !== undefined, placeholderData: keepPreviousData });
  const parameters = search.fit !== undefined && fit.data ? fit.data.regimes : [];
  const question = planQuestion(form, parameters);
  const isReady = search.fit === undefined || fit.data !== undefined;
  const plan = useQuery({ ...planQuery(question), enabled: isReady });
  const problems = planProblems(form, plan.error instanceof ApiError ? plan.error.fields : []);
  const cell = plan.data?.cells[0];
  const program = useProgram();
  const best = cell?.results.find((price) => price.algorithm === cell.fastest);
  usePageTitle(best ? `SIMULATED ${best.algorithm} ${formatSeconds(best.time_s)}` : null, "plan");
  const set = (change: Partial<Record<keyof PlanSearch, string | undefined>>, replace = false): void =>
    void navigate({ search: (old) => planSearch({ ...old, ...change }), replace, resetScroll: false });
  const writeSize = sizeWriter(form.S);
  const command = planCommand(form, site(), search.fit, program);
  const fields = {
    form,
    problems,
    links: plan.data ? { bytesPerS: plan.data.bandwidth_bytes_per_s, latencyS: plan.data.latency_s } : undefined,
    isFitted: search.fit !== undefined,
    onChange: set,
  };
  return (
    <div className="page">
      <div className="page-head">
        <h1>Plan</h1>
        <p className="dim">Each algorithm&rsquo;s time in the α-β-γ model; nothing is run.</p>
        <span className="spread">
          <CopyMenu command={command} copied={command} curl={postCommand("/plan", question, site())} />
        </span>
      </div>
      <Presets />
      <datalist id="plan-links">
        {(engine.data?.links ?? []).map((link) => (
          <option key={link} value={link} />
        ))}
      </datalist>
      <Answer cell={cell} writeSize={writeSize} {...fields} />
      {Object.keys(problems).length === 0 && <QueryError what="The times could not be computed" query={plan} />}
      {plan.isPending && plan.fetchStatus === "fetching" && <Skeleton rows={12} />}
      {cell && (
        <PriceCharts
          form={form}
          parameters={parameters}
          jobId={search.fit}
          metric={search.metric ?? "time"}
          isTable={search.view === "table"}
          onChange={(change) => set(change, true)}
        />
      )}
      <QueryError what="The planner’s choices could not be loaded" query={engine} />
      <PlanFields engine={engine.data} {...fields} />
      <FitPanel fit={fit.data} error={fit.error} jobId={search.fit} onChange={set} />
      {cell && (
        <>
          <PriceTable cell={cell} writeSize={writeSize} />
          <WinnerMap form={form} parameters={parameters} chosen={cell} />
          <SensitivityTable form={form} parameters={parameters} />
        </>
      )}
    </div>
  );
}
