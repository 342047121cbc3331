"""Processes that `ringscope up` and `ringscope demo` start and end: server, agent and Prometheus."""
