import { Link } from "@tanstack/react-router";
import type { FormSearch } from "../../lib/form/formSearch";
import { AgentCommand } from "../controls/AgentCommand";
import { EmptyState } from "./EmptyState";
import { useRole } from "../hooks/useRole";

/** The cluster has no node: how to add one. */
export function NoNodes() {
  const { mayChange } = useRole();
  return (
    <EmptyState title="No nodes yet">
      <p>
        Make a token to join with where the server runs, and start an agent with it on each machine that should run ranks.
        Each gets a token of its own:
      </p>
      <AgentCommand />
      <p className="dim">
        <span aria-hidden="true">◌ </span>Waiting: the node appears here as soon as its agent calls.
      </p>
      {mayChange && (
        <p>
          Or <Link to="/jobs/new" search={{ transport: "simulated", algorithms: "ring,hierarchical" } as FormSearch}>try the simulator</Link>, which
          needs no GPU and measures nothing, once one node of any kind has called.
        </p>
      )}
    </EmptyState>
  );
}
