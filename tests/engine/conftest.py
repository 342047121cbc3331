"""The fake CuPy, for the tests of what can be tested without a GPU."""

from tests.engine.fakes.fixture import cupy as cupy
