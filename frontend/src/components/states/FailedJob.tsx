import { Link } from "@tanstack/react-router";
import { ApiError } from "../../api/client";
import { FailedPage } from "./FailedPage";
import { ServerCommand } from "../controls/ServerCommand";

/** The page of a job that cannot be shown: the job does not exist, or could not be loaded. */
export function FailedJob({ jobId, error, onRetry }: { jobId: number; error: Error; onRetry: () => void }) {
  if (error instanceof ApiError && error.status === 404) {
    return (
      <section className="page">
        <h1>There is no job {jobId}</h1>
        <p>
          See <Link to="/jobs">all jobs</Link>, or in a terminal:
        </p>
        <ServerCommand text="ringscope jobs" />
      </section>
    );
  }
  return <FailedPage title={`Job ${jobId}`} what="The job could not be loaded" error={error} onRetry={onRetry} />;
}
