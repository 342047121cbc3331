import { Link } from "@tanstack/react-router";
import type { FormSearch } from "../lib/formSearch";
import { Command } from "./Command";
import { EmptyState } from "./EmptyState";

/** The cluster has no node: how to add one. */
export function NoNodes() {
  return (
    <EmptyState title="No nodes yet">
      <p>
        Copy the file <code>agent-token</code> from the server&rsquo;s data directory to each machine that should run
        ranks, and start its agent there:
      </p>
      <Command
        text={`pip install 'ringscope[worker]'\nringscope agent --server ${window.location.origin} --token-file agent-token`}
      />
      <p className="dim">
        <span aria-hidden="true">◌ </span>Waiting: the node appears here as soon as its agent calls.
      </p>
      <p>
        Or <Link to="/jobs/new" search={{ transport: "simulated", algorithms: "ring,hierarchical" } as FormSearch}>try the simulator</Link>, which
        needs no GPU and measures nothing, once one node of any kind has called.
      </p>
    </EmptyState>
  );
}
