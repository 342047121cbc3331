import { getRouteApi } from "@tanstack/react-router";
import { Segments } from "../../components/controls/Segments";
import { type Kind, kindOf, withKind } from "../../lib/form/formSearch";

const route = getRouteApi("/jobs/new");
const KINDS: readonly (readonly [Kind, string])[] = [
  ["benchmark", "Benchmark"],
  ["training", "Training"],
  ["strategy_search", "Strategy search"],
  ["script", "Script"],
];

/** The kind of the job; fields that all kinds have, such as its name, stay. */
export function KindChoice() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Segments
      label="Kind of job"
      value={kindOf(search)}
      options={KINDS}
      onChange={(kind) => void navigate({ search: withKind(search, kind), replace: true, resetScroll: false })}
    />
  );
}
