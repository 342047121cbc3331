"""What Prometheus scrapes of this node: counters of its ranks, GPUs and the agent itself."""
