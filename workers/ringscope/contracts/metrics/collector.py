"""Metrics of both metrics pages about themselves."""

from ringscope.contracts.metrics.family import Table

COLLECTOR = Table()

COLLECTOR_DURATION = COLLECTOR.gauge("collector_duration_seconds", "Time to generate this page.", unit="s")
COLLECTOR_ERRORS = COLLECTOR.counter("collector_errors", "Pages that lack series because of a fault.")
