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
      <p className="dim">The node appears here as soon as its agent calls.</p>
    </EmptyState>
  );
}
