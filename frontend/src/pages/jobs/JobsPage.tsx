/** All jobs, with a filter and an order that are in the URL. */
import { Button } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useDeferredValue, useEffect, useMemo, useRef } from "react";
import { facetsQuery, jobsQuery } from "../../data/jobs";
import type { JobFacets, JobView } from "../../api/types";
import { useShortcut } from "../../components/hooks/shortcuts";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { EmptyState } from "../../components/states/EmptyState";
import { NoJobs } from "../../components/states/NoJobs";
import { QueryError } from "../../components/states/QueryError";
import { Skeleton } from "../../components/states/Skeleton";
import { focusedIndex } from "../../components/hooks/useListKeys";
import { usePageTitle } from "../../components/hooks/usePageTitle";
import { plural } from "../../lib/format";
import { chosenIds, filterOf, type JobsSearch, listSearch, strangeWords } from "../../lib/search/search";
import { jobsCommand } from "../../lib/search/views";
import { ArrivedJobs } from "./ArrivedJobs";
import { Filters } from "./Filters";
import { ImportFiles } from "./ImportFiles";
import { JobsTable } from "../../components/jobs/JobsTable";
import { SelectionBar } from "./SelectionBar";
import { useMarkedJobs } from "../../components/hooks/useMarkedJobs";
import { useListBase } from "./useListBase";
import { Views } from "./Views";

const route = getRouteApi("/jobs");

export function JobsPage() {
  usePageTitle("jobs");
  const search = route.useSearch({ select: listSearch, structuralSharing: true });
  const filter = route.useSearch({ select: filterOf, structuralSharing: true });
  const strange = route.useSearch({ select: strangeWords });
  const sorting = useMemo(() => ({ sort: search.sort }), [search.sort]);
  const query = jobsQuery(filter, search.sort);
  const jobs = useInfiniteQuery(query);
  const facets = useQuery(facetsQuery(filter));
  // A click on a filter or heading shows its effect at once; the other rows may come a frame later.
  const data = useDeferredValue(jobs.data);
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  // The rows of another filter stay until those of this one have come.
  const isSettled = data === jobs.data && !jobs.isPlaceholderData;
  const [base, putBase] = useListBase();
  const { pinned, baseJob } = useMarkedJobs(base);
  const { chosen, toggle, clear } = useChoice(items, pinned);
  const known = useMemo(() => [...items, ...pinned], [items, pinned]);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div className="page" data-wide>
      <div className="page-head">
        <h1>Jobs</h1>
        <p className="dim">{facets.data && counted(facets.data)}</p>
        <Views search={search} />
        <ImportFiles />
      </div>
      <Filters filter={filter} facets={facets.data} />
      {strange && <p role="note">{strange}</p>}
      <QueryError what="The jobs could not be loaded" query={jobs} />
      {data && (
        <div className="card" style={{ position: "relative" }}>
          <ArrivedJobs
            listKey={query.queryKey}
            list={{ jobs: isSettled ? items : [], filter, sort: search.sort, hasMore: jobs.hasNextPage }}
          />
          {items.length > 0 && (
            <JobsTable
              jobs={items}
              pinned={pinned}
              choice={{ ids: chosen, onToggle: toggle }}
              baseJob={baseJob}
              sorting={sorting}
              total={facets.data?.total ?? null}
            />
          )}
          {items.length === 0 && (isFiltered ? <NoMatch /> : <NoJobs />)}
        </div>
      )}
      {jobs.isPending && <Skeleton rows={12} />}
      {jobs.hasNextPage && (
        <LoadMore
          isLoading={jobs.isFetchingNextPage || data !== jobs.data}
          onLoad={() => void jobs.fetchNextPage()}
          onPress={() => focusRowAfter(items.length)}
        />
      )}
      {(items.length > 0 || isFiltered || jobs.error) && <ServerCommand text={jobsCommand(search)} />}
      <SelectionBar ids={chosen} jobs={known} base={base} onBase={putBase} onClear={clear} />
    </div>
  );
}

/** "12 jobs"; if there are very many, only the newest are counted. */
function counted({ total, is_complete: isComplete }: JobFacets): string {
  return isComplete ? plural(total, "job") : `${plural(total, "job")} among the newest`;
}

/** The chosen jobs, which are in the URL; x chooses the row that has the focus, or deselects it. */
function useChoice(items: readonly JobView[], pinned: readonly JobView[]) {
  const text = route.useSearch({ select: (search) => search.chosen });
  const chosen = useMemo(() => chosenIds(text), [text]);
  const navigate = route.useNavigate();
  const change = useCallback(
    (next: (chosen: readonly number[]) => readonly number[]): void => {
      const changed = (old: JobsSearch): JobsSearch => ({ ...old, chosen: next(chosenIds(old.chosen)).join() || undefined }) as JobsSearch;
      void navigate({ search: changed, replace: true, resetScroll: false });
    },
    [navigate],
  );
  const toggle = useCallback(
    (id: number) => change((old) => (old.includes(id) ? old.filter((other) => other !== id) : [...old, id])),
    [change],
  );
  const toggleFocused = useCallback(() => {
    const index = focusedIndex();
    const job = index === null ? undefined : [...pinned, ...items][index + pinned.length];
    if (job) toggle(job.id);
  }, [items, pinned, toggle]);
  useShortcut("select", toggleFocused);
  const clear = useCallback(() => change(() => []), [change]);
  return { chosen, toggle, clear };
}

const FRAMES = 600;

/** After a press for more rows the focus moves to the first new row as soon as it is there. */
function focusRowAfter(index: number, frames = FRAMES): void {
  const link = document.querySelector<HTMLElement>(`tr[data-index="${index}"] a`);
  if (link) link.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusRowAfter(index, frames - 1));
}

function NoMatch() {
  return (
    <EmptyState title="No job matches this filter">
      <p>
        <Link to="/jobs">Show all jobs</Link>, or in a terminal:
      </p>
      <ServerCommand text={jobsCommand({})} />
    </EmptyState>
  );
}

/** Loads the next page shortly before it scrolls into view, or when pressed. */
function LoadMore({ isLoading, onLoad, onPress }: { isLoading: boolean; onLoad: () => void; onPress: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const element = button.current;
    if (!element || isLoading) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) onLoad();
      },
      { rootMargin: "600px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isLoading, onLoad]);
  return (
    <Button
      ref={button}
      onClick={() => {
        onLoad();
        onPress();
      }}
      style={{ justifySelf: "center" }}
    >
      {isLoading ? "Loading …" : "Load more"}
    </Button>
  );
}
