import { Link } from "@tanstack/react-router";
import pageCommands from "../lib/pageCommands.json";
import { ServerCommand } from "./ServerCommand";
import { EmptyState } from "./EmptyState";

/** Nobody has submitted a job: how to do that. */
export function NoJobs() {
  return (
    <EmptyState title="No jobs yet">
      <p>
        <Link to="/jobs/new">Fill in the form</Link>, or run this on the server&rsquo;s machine:
      </p>
      <ServerCommand text={pageCommands.firstJob} />
    </EmptyState>
  );
}
