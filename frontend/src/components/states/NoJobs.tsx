import { Link } from "@tanstack/react-router";
import { fittedTo } from "../../lib/command";
import pageCommands from "../../lib/pageCommands.json";
import { ServerCommand } from "../controls/ServerCommand";
import { EmptyState } from "./EmptyState";
import { useRole } from "../hooks/useRole";
import { useSlots } from "../hooks/useSlots";

/** Shown if there is no job yet: how to submit one. */
export function NoJobs() {
  const { mayChange } = useRole();
  const slots = useSlots()?.total ?? 0;
  return (
    <EmptyState title="No jobs yet">
      <p>
        {mayChange ? (
          <>
            <Link to="/jobs/new">Fill in the form</Link>, or run this on the server&rsquo;s machine:
          </>
        ) : (
          "Run this on the server\u2019s machine:"
        )}
      </p>
      <ServerCommand text={fittedTo(slots, pageCommands.firstJob)} />
    </EmptyState>
  );
}
