import { Link } from "@tanstack/react-router";
import type { FormSearch } from "../../lib/form/formSearch";
import { AgentCommand } from "../controls/AgentCommand";
import { EmptyState } from "./EmptyState";
import { useRole } from "../hooks/useRole";

/** Shown if the cluster has no node: how to add one. */
export function NoNodes() {
  const { mayChange } = useRole();
  return (
    <EmptyState title="No nodes yet">
      <p>
        Create a join token on the server&rsquo;s machine and start an agent with it on each machine that should run ranks.
        Each node then gets its own token:
      </p>
      <AgentCommand />
      <p className="dim">
        <span aria-hidden="true">◌ </span>Waiting for an agent: its node appears here as soon as it connects.
      </p>
      {mayChange && (
        <p>
          Or <Link to="/jobs/new" search={{ transport: "simulated", algorithms: "ring,hierarchical" } as FormSearch}>try the simulator</Link>, which
          needs no GPU and measures nothing, as soon as one node has connected.
        </p>
      )}
    </EmptyState>
  );
}
