"""The metrics of this node for Prometheus: counters of its ranks, its GPUs and the agent itself."""
