"""A hundred jobs over six hosts while something breaks every few seconds: nothing is lost, and nothing is left."""

import logging
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.hosts.soak.run import Soak
from tests.cluster.hosts.soak.site import Site, running_site
from tests.cluster.lab import free_port

JOBS = 100
BUDGET_MINUTES = 10.0

pytestmark = [needs_namespaces, pytest.mark.long]


@pytest.fixture
def site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_site(Path(path), free_port()) as site:
        yield site


def test_a_hundred_jobs_end_well_while_something_breaks_every_few_seconds(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "httpx")  # every request would stand between the faults
    seed = int(os.environ.get("RINGSCOPE_SOAK_SEED") or random.randrange(1_000_000))
    least_minutes = float(os.environ.get("RINGSCOPE_SOAK_MINUTES") or 0)
    budget_minutes = float(os.environ.get("RINGSCOPE_SOAK_BUDGET_MINUTES") or least_minutes + BUDGET_MINUTES)
    soak = Soak(site, seed, JOBS, 60 * least_minutes)
    assert soak.run() == [], soak.report()
    print(f"{soak.account} (budget {60 * budget_minutes:.0f} s), seed {seed}")  # noqa: T201 - pytest -rP shows it
    assert soak.elapsed_seconds < 60 * budget_minutes, soak.report()
