/** A collective step by step, on given numbers. The example and the step are in the URL. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { ApiError } from "../../api/client";
import { exampleQuery } from "../../data/planning";
import { engineQuery } from "../../data/server";
import type { Collective } from "../../api/types";
import { site } from "../../api/site";
import { CopyMenu } from "../../components/controls/CopyMenu";
import { QueryError } from "../../components/states/QueryError";
import { SimulatedBadge } from "../../components/marks/SimulatedBadge";
import { Skeleton } from "../../components/states/Skeleton";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { useProgram } from "../../components/hooks/useProgram";
import { postCommand, withProgram } from "../../lib/command";
import { SIMULATED } from "../../lib/csv";
import { formatSeconds } from "../../lib/amount";
import { plural } from "../../lib/format";
import { runOf } from "../../lib/moves";
import { resultInWords } from "../../lib/moveWords";
import type { PlayChange } from "../../lib/search/playSearch";
import { exampleQuestion, ringForm, ringProblems, type RingSearch, ringSearch, traceCommand } from "../../lib/form/ringForm";
import { Lanes } from "./Lanes";
import { Player } from "./Player";
import classes from "./RingPage.module.css";
import { Examples, RingFields } from "./RingFields";
import { SaveExample } from "./SaveExample";
import { TracedJobs } from "./TracedJobs";

const route = getRouteApi("/ring");

export function RingPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const form = ringForm(search);
  const question = exampleQuestion(form);
  const program = useProgram();
  const engine = useQuery(engineQuery);
  const found = useQuery(exampleQuery(question));
  const problems = found.error instanceof ApiError ? ringProblems(found.error.fields) : {};
  const run = useMemo(() => found.data && runOf(found.data), [found.data]);
  const step = Math.min(Number(search.step ?? 0), run?.steps.length ?? 0);
  usePageTitle(run ? `step ${step} of ${run.steps.length}` : null, `SIMULATED ${form.algorithm}, step by step`);
  const go = (change: Partial<Record<keyof RingSearch, string | undefined>>, replace: boolean): void =>
    void navigate({ search: (old) => ringSearch({ ...old, ...change }), replace, resetScroll: false });
  const set = (change: PlayChange): void => go(change, true);
  return (
    <div className="page">
      <div className="page-head">
        <SimulatedBadge />
        <h1>A collective, step by step</h1>
        <span className={classes.kind}>worked example</span>
        <span className="spread">
          <CopyMenu command={traceCommand(form)} copied={withProgram(traceCommand(form), program)} curl={postCommand("/trace", question, site())} />
        </span>
      </div>
      <Examples />
      {Object.keys(problems).length === 0 && <QueryError what="The steps could not be computed" query={found} />}
      {found.isPending && <Skeleton rows={28} />}
      {run && found.data && (
        <Player
          run={run}
          step={step}
          end={resultInWords(found.data.example.results)}
          reduces={engine.data?.collectives[form.collective as Collective]?.reduces ?? true}
          search={search}
          paceName="model time"
          onChange={set}
        />
      )}
      <QueryError what="The collectives could not be loaded" query={engine} />
      <RingFields form={form} engine={engine.data} problems={problems} onChange={(field, value) => go({ [field]: value, step: undefined }, false)} />
      {run && (
        <Lanes
          run={run}
          step={step}
          isTable={search.view === "table"}
          basis={SIMULATED}
          onView={(view) => set({ view })}
          perfetto={<SaveExample question={question} name={`ringscope-${form.algorithm}-${run.ranks}`} />}
          more="Links have 1 GB/s and 1 µs, inside nodes 10 GB/s and 0.2 µs; ranks add at 10 GB/s."
        >
          {plural(run.steps.flat().length, "message")} in {formatSeconds(run.timeUs / 1e6)} of the cost model; nothing was measured.
        </Lanes>
      )}
      <TracedJobs />
    </div>
  );
}
