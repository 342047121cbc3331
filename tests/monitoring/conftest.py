"""One server, agent and Prometheus for all tests here, as `ringscope up --prometheus` starts them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.cluster.lab import Lab, eventually, free_port, running_lab
from tests.monitoring.prometheus import Prometheus


@contextmanager
def watched_lab() -> Iterator[tuple[Lab, Prometheus]]:
    """A lab of its own, and the Prometheus that belongs to it."""
    port = free_port()
    options = ("--prometheus", "--prometheus-port", str(port))
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_lab(Path(path), *options) as (lab, _):
        prometheus = Prometheus(f"http://127.0.0.1:{port}")
        eventually(lambda: prometheus.get("targets"), "Prometheus' readiness")
        yield lab, prometheus


@pytest.fixture(scope="session")
def watched() -> Iterator[tuple[Lab, Prometheus]]:
    with watched_lab() as both:
        yield both


@pytest.fixture(scope="session")
def lab(watched: tuple[Lab, Prometheus]) -> Lab:
    return watched[0]


@pytest.fixture(scope="session")
def prometheus(watched: tuple[Lab, Prometheus]) -> Prometheus:
    return watched[1]
