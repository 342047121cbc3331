"""A soak sees what is left on a host: a process beside agent and spare shim, and an attempt on its disk."""

import subprocess
import sys
from pathlib import Path
from typing import cast

import psutil
import pytest
from tests.cluster.hosts.soak.hosts import leftovers
from tests.cluster.hosts.soak.site import Site

from ringscope.contracts.rank_process import TOKEN_VARIABLE


class FakeSite:
    """A host on which this process is the agent, and the children that a test gives it are all that runs there."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self._of_other_tests = psutil.Process().children()
        (data_dir / "lab" / "h1" / "attempts").mkdir(parents=True)

    def agent(self, host: str) -> psutil.Process:
        return psutil.Process()

    def processes(self, host: str) -> list[psutil.Process]:
        children = psutil.Process().children()
        return [psutil.Process(), *(child for child in children if child not in self._of_other_tests)]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return cast(Site, FakeSite(tmp_path))


def test_an_agent_alone_is_as_it_should_be(site: Site) -> None:
    assert list(leftovers(site, "h1")) == []


@pytest.mark.parametrize(
    ("module", "variables", "findings"),
    [
        ("ringscope_agent.shim.process", {}, 0),
        ("ringscope_agent.shim.process", {TOKEN_VARIABLE: "t"}, 1),
        ("ringscope.rank", {}, 1),
        ("ringscope.rank", {TOKEN_VARIABLE: "t"}, 2),
    ],
)
def test_a_process_that_should_be_gone_is_found(
    site: Site, module: str, variables: dict[str, str], findings: int
) -> None:
    waits = [sys.executable, "-c", "print(flush=True); input()", module]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables) as process:
        assert process.stdout is not None
        process.stdout.readline()  # Linux shows no command line for a moment after the start
        found = list(leftovers(site, "h1"))
        process.communicate(b"\n")
    assert len(found) == findings


def test_an_attempt_on_the_disk_is_found(site: Site) -> None:
    (site.data_dir / "lab" / "h1" / "attempts" / "7").mkdir()
    assert list(leftovers(site, "h1")) == ["attempts are left on the disk of h1: ['7']"]
