/** A strategy search: how its candidates stand, which left and why, and where the time of a step goes for each. */
import { useQuery } from "@tanstack/react-query";
import type { JobView, StrategySearch } from "../../../api/types";
import { Loaded } from "../../../components/states/Loaded";
import { searchForecastQuery, strategySearchQuery } from "../../../data/strategySearch";
import { formatDuration, plural } from "../../../lib/format";
import { isTerminal } from "../../../lib/state";
import { SearchLanes } from "./SearchLanes";
import { SearchTable } from "./SearchTable";
import { StepCard } from "./StepCard";

const MORE =
  "The candidates run in turns for a short time each, from the same first parameters and samples, on the same ranks. " +
  "The parts of a step are means over ranks and runs. Exchanged is what a rank gives to the exchange in a step, after compression; " +
  "an algorithm sends it once or several times. Sent is what it sends of that in a step, counted where it is moved. " +
  "One process says whether the parameters after the first run have the same bits as those of one process with the same samples, or the largest " +
  "difference as a part of the largest parameter. " +
  "All sums are the sums of a step, also while a rank computes, and after them what was expected before the search. " +
  "Memory is the peak of a rank's process during a run.";

export function Search({ job }: { job: JobView }) {
  const search = useQuery(strategySearchQuery(job.id, job.progress.done, isTerminal(job.state)));
  // Without it the table has no forecast.
  const forecast = useQuery({ ...searchForecastQuery(job.id, job.attempts.length), enabled: job.attempts.length > 0 });
  const expected = new Map(forecast.data?.candidates.map(({ name, sums_us: sumsUs }) => [name, sumsUs]));
  return (
    <Loaded query={search} what="The search could not be loaded" rows={8}>
      {(found) => (
        <StepCard
          id="search"
          title="Candidates"
          label="View of the candidates"
          timeline={<SearchLanes candidates={found.candidates} />}
          table={<SearchTable candidates={found.candidates} expected={expected} />}
          caption={searchCaption(found, isTerminal(job.state))}
          more={MORE}
        />
      )}
    </Loaded>
  );
}

/** What goes on, or after the end how much was run. */
export function searchCaption(found: StrategySearch, isOver: boolean): string {
  const left = found.candidates.filter(({ state }) => state === "unbeaten" || state === "winner").length;
  const runs = `${plural(found.runs, "run")} in ${formatDuration(found.spent_seconds)}`;
  if (isOver) return `Where the time of a mean step goes for each candidate, after ${runs}.`;
  const { running } = found;
  const turn = running?.epochs == null ? `in round ${(running?.round ?? 0) + 1}` : `${plural(running.epochs, "epoch")} to the target`;
  const now = running ? `${running.name} runs ${turn}` : "No candidate runs";
  return `${now}; ${plural(left, "candidate")} left of those that began, after ${runs} of at most ${formatDuration(found.budget_seconds)}.`;
}
