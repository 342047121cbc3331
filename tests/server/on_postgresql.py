"""The tests of the server that the gate runs on both databases; the others run on PostgreSQL in the long tests."""

from collections import defaultdict
from inspect import getsource
from pathlib import Path

import pytest

# Modules whose questions a database answers in its own way: sums and medians over rows, JSON, orders, times, numbers
# that it hands out, conflicts, locks. Others store and read rows by keys, as the shortest test of their folder does.
IN_OWN_WAYS = {
    "attempts": {"gangs", "retries"},
    "events": {"audit", "events"},
    "imports": {"create_imports"},
    "insights": {"insights"},
    "jobs": {"benchmark_summary", "count_jobs", "edit_job", "queue_limits", "specs"},
    "live": {"end_streams", "live_steps", "stream"},
    "monitoring": {"expected_bandwidth", "monitoring"},
    "nodes": {"join_agent", "list_readings", "node_lifetimes", "poll_agent"},
    "predictions": {"get_fit"},
    "results": {"compare_jobs", "lateness", "list_links", "list_regressions", "step_pages", "tuning"},
    "schedules": {"fire_schedules"},
    "scheduler": {"clock_steps", "loop"},
    "training": {"training", "training_curve"},
    "users": {"tokens"},
    "webhooks": {"deliver_webhooks"},
}


def choose_for_postgresql(items: list[pytest.Item]) -> None:
    """Mark as long what the gate does not run on PostgreSQL; it runs all tests on SQLite.

    On PostgreSQL it runs the shortest of each folder, so that a new noun is covered without thinking, that of each
    module ``IN_OWN_WAYS``, and all that are marked ``both_databases``.
    """
    on_postgresql: dict[Path, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        if item.callspec.params.get("database_url") == "postgresql" and not item.get_closest_marker("both_databases"):
            is_own = item.path.stem.removeprefix("test_") in IN_OWN_WAYS.get(item.path.parent.name, ())
            on_postgresql[item.path if is_own else item.path.parent].append(item)
    for tests in on_postgresql.values():
        shortest = min(tests, key=lambda test: len(getsource(test.function)))
        for test in tests:
            if test is not shortest:
                test.add_marker(pytest.mark.long)
