import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { recentJobsQuery } from "../../../data/jobs";
import { useShortcut } from "../../../components/hooks/shortcuts";
import type { JobSearch } from "../../../lib/search/search";
import { useView } from "../useView";

/** The parts of the URL that also make sense for another job; lines of the log and late cells do not. */
const CARRIED = ["tab", "view", "metric", "stat"] as const satisfies (keyof JobSearch)[];

function carried(search: JobSearch): JobSearch {
  return Object.fromEntries(CARRIED.flatMap((key) => (search[key] === undefined ? [] : [[key, search[key]]])));
}

/** The jobs before and after this one: links, and the keys [ and ]. */
export function JobSteps({ jobId }: { jobId: number }) {
  const [view] = useView();
  const navigate = useNavigate();
  const search = useMemo(() => carried(view), [view]);
  const newest = useQuery(recentJobsQuery).data?.[0]?.id;
  const hasNext = newest !== undefined && jobId < newest;
  const go = useCallback((id: number) => void navigate({ to: "/jobs/$jobId", params: { jobId: id }, search }), [navigate, search]);
  const before = useCallback(() => go(jobId - 1), [go, jobId]);
  const after = useCallback(() => go(jobId + 1), [go, jobId]);
  useShortcut("before", jobId > 1 ? before : null);
  useShortcut("after", hasNext ? after : null);
  return (
    <>
      {jobId > 1 && (
        <Link to="/jobs/$jobId" params={{ jobId: jobId - 1 }} search={search} title="The job before this one ([)">
          ← {jobId - 1}
        </Link>
      )}{" "}
      {hasNext && (
        <Link to="/jobs/$jobId" params={{ jobId: jobId + 1 }} search={search} title="The job after this one (])">
          {jobId + 1} →
        </Link>
      )}
    </>
  );
}
