"""Metrics of the server and discovery for Prometheus."""
