/** All jobs, newest first, under a filter that lives in the URL. */
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { jobsQuery } from "../../api/queries";
import { EmptyState } from "../../components/EmptyState";
import { ErrorNote } from "../../components/ErrorNote";
import { NoJobs } from "../../components/NoJobs";
import { usePageTitle } from "../../components/usePageTitle";
import type { JobsSearch } from "../../lib/search";
import { JOB_STATES } from "../../lib/state";
import { JobsTable } from "./JobsTable";

const route = getRouteApi("/jobs");

export function JobsPage() {
  usePageTitle("jobs");
  const search = route.useSearch();
  const jobs = useInfiniteQuery(jobsQuery({ state: search.state, q: search.q }));
  const items = jobs.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = search.state !== undefined || search.q !== undefined;
  return (
    <div className="page">
      <div className="page-head">
        <h1>Jobs</h1>
        <Filters search={search} />
      </div>
      {jobs.error && (
        <ErrorNote what="The jobs could not be loaded" error={jobs.error} onRetry={() => void jobs.refetch()} />
      )}
      {jobs.data && (
        <div className="card">
          {items.length > 0 && <JobsTable jobs={items} />}
          {items.length === 0 && (isFiltered ? <NoMatch /> : <NoJobs />)}
        </div>
      )}
      {jobs.hasNextPage && (
        <LoadMore isLoading={jobs.isFetchingNextPage} onLoad={() => void jobs.fetchNextPage()} />
      )}
    </div>
  );
}

function Filters({ search }: { search: JobsSearch }) {
  const navigate = route.useNavigate();
  const [text, setText] = useState(search.q ?? "");
  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (text === (search.q ?? "")) return;
      void navigate({ search: (old) => withText(old, text), replace: true });
    }, 250);
    return () => window.clearTimeout(timer);
  }, [text, search.q, navigate]);
  return (
    <form role="search" className="page-head" onSubmit={(event) => event.preventDefault()}>
      <NativeSelect
        aria-label="State"
        value={search.state ?? ""}
        data={[{ value: "", label: "Every state" }, ...Object.keys(JOB_STATES)]}
        onChange={(event) => {
          const { q } = search;
          const state = event.currentTarget.value;
          void navigate({ search: { ...(q && { q }), ...(state && { state: state as keyof typeof JOB_STATES }) } });
        }}
      />
      <TextInput
        type="search"
        aria-label="Name contains"
        placeholder="Name contains …"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}

function withText(old: JobsSearch, text: string): JobsSearch {
  return { ...(old.state && { state: old.state }), ...(text && { q: text }) };
}

function NoMatch() {
  return (
    <EmptyState title="No job matches this filter">
      <p>
        <Link to="/jobs">Show all jobs</Link>
      </p>
    </EmptyState>
  );
}

/** Loads the next page when it scrolls into view, or when pressed. */
function LoadMore({ isLoading, onLoad }: { isLoading: boolean; onLoad: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const element = button.current;
    if (!element || isLoading) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) onLoad();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isLoading, onLoad]);
  return (
    <Button ref={button} onClick={onLoad} style={{ justifySelf: "center" }}>
      {isLoading ? "Loading …" : "Load more"}
    </Button>
  );
}
