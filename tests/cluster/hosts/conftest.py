"""Tests on network namespaces: they need root, ip and tc."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster.hosts.cluster import Cluster, running_cluster

needs_namespaces = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("tc") is None,
    reason="network namespaces need root, ip and tc",
)


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_cluster(Path(path)) as cluster:
        yield cluster


@pytest.fixture
def cluster(shared_cluster: Cluster) -> Iterator[Cluster]:
    """A server with four hosts of two slots each, shared by the tests of a module and whole before each of them."""
    yield shared_cluster
    shared_cluster.mend()
