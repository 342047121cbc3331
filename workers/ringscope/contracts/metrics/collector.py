"""Metrics of both metrics pages about themselves."""

from ringscope.contracts.metrics.family import Table

COLLECTOR = Table()

COLLECTOR_DURATION = COLLECTOR.gauge("collector_duration_seconds", "Time that this page took to make.", unit="s")
COLLECTOR_ERRORS = COLLECTOR.counter("collector_errors", "Pages that lack series because of a fault.")
