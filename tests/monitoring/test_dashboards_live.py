"""Every expression of the dashboards against a real Prometheus: on an idle cluster, with jobs at once, after."""

import json
import math
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.cluster.jobs.test_insights import slowed
from tests.cluster.lab import Lab, eventually, running
from tests.monitoring import promql
from tests.monitoring.conftest import watched_lab
from tests.monitoring.dashboards import Dashboard, Query, filled_in, read_dashboards
from tests.monitoring.prometheus import Prometheus

DASHBOARDS = read_dashboards()
QUERIES = [query for dashboard in DASHBOARDS.values() for query in dashboard.queries()]
SECOND = "second"
# One on the first node alone, one over both: some twenty seconds, of which they share the most.
ON_ONE = ("--shared", "--ranks", "2", "--nodes", "1", "--algorithm", "ring,direct", "-b", "1K", "-e", "16M")
OVER_BOTH = ("--shared", "--ranks", "2", "--ranks-per-node", "1", "--algorithm", "ring", "-b", "1K", "-e", "1M")
JOBS = ((*ON_ONE, "-n", "200", "-N", "3"), (*OVER_BOTH, "-n", "1000", "-N", "3"))
# As the first one, but short: what a job should reach is known from three that were alike. Alone, so that they count.
EARLIER = (*3 * [(*ON_ONE, "-n", "5")], (*OVER_BOTH, "-n", "5"))
# On the second node beside them, until they are over.
TRAINING = ("mlp", "--dataset", "synthetic", "--ranks", "3", "--epochs", "1000")
TOGETHER_SECONDS = 8.0  # so long the recording rules, once in 5 s over the last minute, need for two samples
ENDS_WITH_THE_JOB = (
    *("ringscope_rank_", "ringscope_collective_duration_", "ringscope_step_duration_", "ringscope_job_"),
    *("job_id_rank:", "job_id_op:", "job_id:"),
)

pytestmark = [pytest.mark.long, pytest.mark.skipif(shutil.which("prometheus") is None, reason="prometheus is missing")]


@dataclass
class Course:
    """A site before, while and after two benchmarks and a training job ran, with what Prometheus answered."""

    lab: Lab
    prometheus: Prometheus
    second: subprocess.Popen[str]
    values: dict[str, str] = field(default_factory=dict)
    idle: dict[Query, list[dict[str, Any]]] = field(default_factory=dict)
    busy: dict[Query, list[dict[str, Any]]] = field(default_factory=dict)
    unseen: dict[Query, set[str]] = field(default_factory=dict)

    def ask(self, query: Query, start: float, end: float) -> list[dict[str, Any]]:
        """The series of a graph over the time, or of a table at its end; HTTPStatusError for what fails."""
        expression = filled_in(query.expr, self.values)
        if query.is_table:
            data = self.prometheus.get("query", query=expression, time=str(end))
        else:
            data = self.prometheus.get("query_range", query=expression, start=str(start), end=str(end), step="1")
        series: list[dict[str, Any]] = data["result"]
        return series

    def not_there(self, query: Query, start: float, end: float) -> set[str]:
        """Return the metrics that the query selects and nothing has sent, such as an alert that does not fire.

        Return the guards that no series passes if there is no such metric, such as ``x > 0`` before a division by x.
        """
        tree = promql.parse(filled_in(query.expr, self.values))
        missing = set()
        for one in promql.selectors(tree):
            selector = one.prettify().partition(" offset ")[0]
            if not self.prometheus.get("series", **{"match[]": selector}, start=str(start), end=str(end)):
                missing.add(one.name)
        guards = [Query(query.dashboard, query.title, guard, "") for guard in promql.guards(tree)]
        return missing or {guard.expr for guard in guards if not self.ask(guard, start, end)}


@pytest.fixture(scope="module")
def course() -> Iterator[Course]:
    with watched_lab() as (lab, prometheus), running(second_node(lab)) as second:
        targets = 'count(up{job="ringscope-agents"} == 1)'
        eventually(lambda: prometheus.value(targets) == 2, "a scrape of both agents")
        eventually(lambda: prometheus.value('up{job="ringscope-server"}') == 1, "a scrape of the server")
        course = Course(lab, prometheus, second, values=chosen("0"))
        now = time.time()
        course.idle = {query: course.ask(query, now - 5, now) for query in QUERIES}
        for words in EARLIER:
            done = lab.run("submit", "--wait", *words)
            assert done.returncode == 0, done.stderr
        run_both(course)
        run_slow(course)
        yield course


def second_node(lab: Lab) -> subprocess.Popen[str]:
    # MPI's launcher tells nodes apart by their addresses
    flags = ("--server", lab.url, "--name", SECOND, "--address", "127.0.0.2", "--slots", "4", "--metrics-port", "0")
    home = ("--data-dir", str(lab.data_dir / SECOND), "--join-token-file", str(lab.data_dir / "join-token"))
    return lab.start("agent", *flags, *home)


def chosen(jobs: str) -> dict[str, str]:
    """Return Grafana's variables with "All" chosen, and its own ones for a scrape interval of 1 s."""
    everything = dict.fromkeys(("cluster", "node", "kind", "rank", "op"), ".*")
    return everything | {"job_id": jobs, "__rate_interval": "4s", "__range": "60s"}


def run_both(course: Course) -> None:
    """Both jobs to their ends beside a training job; asks when the first one is over, as far as a graph goes back."""
    began = time.time()
    done = course.lab.run("train", "--json", *TRAINING)
    assert done.returncode == 0, done.stderr
    training = json.loads(done.stdout)["id"]
    eventually(lambda: course.prometheus.value("ringscope_training_loss"), "a loss")
    first, second = (course.lab.start("submit", "--wait", *words) for words in JOBS)
    with running(first), running(second):
        three = "count(count by (job_id) (ringscope_rank_up == 1)) == 3"
        eventually(lambda: course.prometheus.value(three), "three jobs at once")
        together = time.time()
        while first.poll() is None and second.poll() is None:
            time.sleep(0.1)
        ended = time.time()
        assert ended - together > TOGETHER_SECONDS, "make the jobs longer"
        assert first.wait(timeout=120) == 0 and second.wait(timeout=120) == 0
    with course.lab.client() as client:
        client.cancel(training)
        ids = {job.id for job in client.jobs()}
    course.values = chosen("|".join(map(str, sorted(ids))))
    active = "count(ringscope_job_start_timestamp_seconds)"
    eventually(lambda: course.prometheus.value(active) is None, "the end of both jobs' series")
    for query in QUERIES:
        now = time.time()  # what is told of finished jobs, and annotations of their ends
        course.busy[query] = course.ask(query, began, ended - 1) or course.ask(query, began, now)
        course.unseen[query] = course.not_there(query, began, now)


def run_slow(course: Course) -> None:
    """A job with a slow rank, until the server has said so; asks for insights."""
    job_id, ranks = course.lab.start_endless_job(4)
    course.values = chosen(str(job_id))
    with slowed(ranks[1].pid):
        eventually(lambda: course.prometheus.value("ringscope_job_insight") == 1, "an insight in Prometheus")
    now = time.time()
    for query in QUERIES:
        if "ringscope_job_insight" in query.expr:
            course.busy[query], course.unseen[query] = course.ask(query, now - 1, now), set()
    with course.lab.client() as client:
        client.cancel(job_id)
    course.lab.wait_for_state(job_id, "cancelled")


def test_no_expression_fails_on_an_idle_cluster(course: Course) -> None:
    assert course.idle.keys() == set(QUERIES)
    about_ranks = [query for query in QUERIES if "ringscope_rank_" in query.expr]
    assert about_ranks and not any(course.idle[query] for query in about_ranks)


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_an_expression_is_answered_while_two_jobs_run(course: Course, query: Query) -> None:
    series = course.busy[query]
    if not series and course.unseen[query]:
        assert not any("ringscope_" in one for one in course.unseen[query]), "a metric has gone"
        pytest.skip(f"nothing tells {', '.join(sorted(course.unseen[query]))} here")
    assert any(math.isfinite(number) for one in series for number in numbers(one)), series
    wanted = set(re.findall(r"{{(\w+)}}", query.legend)) | ({"job_id"} if query.links_job else set())
    assert all(wanted <= one["metric"].keys() for one in series), wanted


def numbers(series: dict[str, Any]) -> list[float]:
    samples = series["values"] if "values" in series else [series["value"]]
    return [float(text) for _, text in samples]


@pytest.mark.parametrize("dashboard", DASHBOARDS.values(), ids=DASHBOARDS.keys())
def test_variables_have_values(course: Course, dashboard: Dashboard) -> None:
    for variable in dashboard.variables.values():
        if variable["type"] == "query":
            found = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"])
            assert found is not None
            selector = filled_in(found[1], course.values)
            values = course.prometheus.get(f"label/{found[2]}/values", **{"match[]": selector})
            assert values, variable["name"]


def test_series_of_ranks_are_gone_after_the_jobs(course: Course) -> None:
    left = 'count({__name__=~"ringscope_rank_.+"})'
    eventually(lambda: course.prometheus.value(left) is None, "the end of the jobs' series")
    eventually(lambda: not answered(course), "the end of what is made of them")


def answered(course: Course) -> list[str]:
    """Queries about jobs alone that still have an answer now, but those that look back on purpose."""
    now = time.time()
    found = []
    for query in QUERIES:
        names = [one.name for one in promql.selectors(promql.parse(filled_in(query.expr, course.values)))]
        looks_back = "[1h]" in query.expr or "$__range]" in query.expr
        ends = all(name.startswith(ENDS_WITH_THE_JOB) for name in names)
        series = course.ask(query, now, now)
        if ends and not looks_back and series:
            found.append(str(query))
    return found


def test_a_node_that_dies_is_alerted(course: Course) -> None:
    expected = {("RingscopeNodeDown", SECOND), ("RingscopeNodeLost", SECOND)}
    assert not expected & firing(course)
    course.second.kill()
    eventually(lambda: expected <= firing(course), "both alerts", within_seconds=90)
    now = time.time()
    about_alerts = [query for query in QUERIES if "ALERTS" in query.expr]
    assert len(about_alerts) >= 3
    assert all(course.ask(query, now - 1, now) for query in about_alerts)


def firing(course: Course) -> set[tuple[str, str]]:
    data = course.prometheus.get("query", query='ALERTS{alertstate="firing"}') or {"result": []}
    return {(one["metric"]["alertname"], one["metric"].get("node", "")) for one in data["result"]}
