import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { recentJobsQuery } from "../../data/jobs";
import { useShortcut } from "../../components/shortcuts";

/** The jobs before and after this one: links, and the keys [ and ]. */
export function JobSteps({ jobId }: { jobId: number }) {
  const navigate = useNavigate();
  const newest = useQuery(recentJobsQuery).data?.[0]?.id;
  const hasNext = newest !== undefined && jobId < newest;
  const go = useCallback((id: number) => void navigate({ to: "/jobs/$jobId", params: { jobId: id } }), [navigate]);
  const before = useCallback(() => go(jobId - 1), [go, jobId]);
  const after = useCallback(() => go(jobId + 1), [go, jobId]);
  useShortcut("before", jobId > 1 ? before : null);
  useShortcut("after", hasNext ? after : null);
  return (
    <>
      {jobId > 1 && (
        <Link to="/jobs/$jobId" params={{ jobId: jobId - 1 }} title="The job before this one ([)">
          ← {jobId - 1}
        </Link>
      )}{" "}
      {hasNext && (
        <Link to="/jobs/$jobId" params={{ jobId: jobId + 1 }} title="The job after this one (])">
          {jobId + 1} →
        </Link>
      )}
    </>
  );
}
