"""Data directories with short paths, and one running stack per module for the tests that leave it whole."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster.lab import Lab, running_lab


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path:
        yield Path(path)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A running server and agent with four slots."""
    with tempfile.TemporaryDirectory(prefix="ringscope-") as path, running_lab(Path(path)) as (lab, _):
        yield lab
