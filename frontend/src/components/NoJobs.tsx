import { Link } from "@tanstack/react-router";
import { Command } from "./Command";
import { EmptyState } from "./EmptyState";

/** Nobody has submitted a job: how to do that. */
export function NoJobs() {
  return (
    <EmptyState title="No jobs yet">
      <p>
        <Link to="/jobs/new">Fill in the form</Link>, or run this on the server&rsquo;s machine:
      </p>
      <Command text="ringscope submit --ranks 4 --wait" />
    </EmptyState>
  );
}
