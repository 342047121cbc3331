"""Fixtures that put the fake CuPy in the place of a real one, and one process in the place of a gang."""

import ctypes
import importlib
import os
import sys
from pathlib import Path

import pytest

from ringscope.engine.memory import kernels, own_kernels

FOLDER = Path(__file__).parent
PYTHONPATH = os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])  # of a gang with the fake


@pytest.fixture
def cupy(monkeypatch):
    """The fake, reset; whatever CuPy was imported before comes back afterwards."""
    monkeypatch.setattr(ctypes, "CDLL", ctypes.CDLL)  # the fake puts one with its own library there
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "cupy"}
    for name in before:
        del sys.modules[name]
    monkeypatch.syspath_prepend(FOLDER)
    yield importlib.import_module("cupy")
    for name in [name for name in sys.modules if name.partition(".")[0] == "cupy"]:
        del sys.modules[name]
    sys.modules.update(before)
    for one in (
        *(kernels.combine, kernels._divider, kernels.compile_now, kernels.pairwise),
        *(own_kernels._combine, own_kernels._divide, own_kernels._processors),
    ):
        one.cache_clear()


class OneOf:
    """The MPI communicator of one rank whose peers always say what it says, or what ``answers`` has."""

    def __init__(self, rank=0, size=1, answers=()):
        self.rank, self.size, self.answers = rank, size, list(answers)
        self.is_free = False

    def Dup(self):  # noqa: N802
        return self

    def Free(self):  # noqa: N802
        self.is_free = True

    def Barrier(self):  # noqa: N802
        pass

    def allgather(self, value):
        return self.answers.pop(0) if self.answers else [value] * self.size

    def bcast(self, value):
        return bytes(128) if value is None else value
