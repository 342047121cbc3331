"""Grafana's dashboards as Python: panels as plain dicts, one module for each dashboard."""
