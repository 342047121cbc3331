"""One Slurm and one Ringscope server for all tests of this folder."""

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cluster.lab import Lab, eventually, running
from tests.cluster.slurm.batch_system import Slurm, missing, running_slurm

from ringscope.client import Node, is_ready

_MISSING = missing()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Elsewhere than in CI, where Slurm must be there, its tests may be skipped."""
    for item in items:
        if _MISSING and os.environ.get("CI") != "true" and item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.skip(reason=_MISSING))


@dataclass(frozen=True)
class Site:
    """A server that has no node of its own, beside a batch system."""

    lab: Lab
    slurm: Slurm

    def nodes(self) -> list[Node]:
        with self.lab.client() as client:
            return client.nodes()

    def allocate(self, *options: str) -> str:
        """A batch job whose two nodes are ready."""
        self.slurm.wait_for_idle_nodes()
        output = f"--output={self.lab.data_dir}/slurm-%j.log"  # its end is shown of a test that failed
        done = self.lab.run("slurm", "--nodes", "2", "--wait", *options, "--", output)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def wait_until_gone(self, within_seconds: float = 60.0) -> None:
        """Wait until the server lists no node, and assert that nothing of an agent is left on this machine."""
        eventually(lambda: not self.nodes(), "the nodes' leaving", within_seconds)
        self.slurm.wait_for_idle_nodes()
        assert self.lab.processes("ringscope_agent") == self.lab.ranks() == []
        assert list(self.temporary.iterdir()) == []

    @property
    def temporary(self) -> Path:
        """The folder that holds the agents' own folders."""
        return Path(self.lab.environment["TMPDIR"])


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="rs-slurm-") as path, running_slurm(Path(path)) as slurm:
        data_dir = Path(path, "data")
        temporary = data_dir / "tmp"
        temporary.mkdir(parents=True)
        lab = Lab(data_dir, TMPDIR=str(temporary), **slurm.environment)
        with running(lab.start("server", "--port", "0")):
            eventually(lambda: is_ready(lab.url), "the server's readiness")
            yield Site(lab, slurm)
