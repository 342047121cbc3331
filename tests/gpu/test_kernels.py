"""The kernels' results equal NumPy's for every dtype and operation, which the fake cannot show."""

import ml_dtypes  # noqa: F401 (NumPy then knows bfloat16)
import numpy as np
import pytest

from ringscope.contracts.words.dtypes import DTYPES, ops_of
from ringscope.engine.base import components
from ringscope.engine.memory import cuda, kernels
from ringscope.engine.memory.arithmetic import reduction
from ringscope.engine.memory.arrays import copy, to_host

COUNT = 4099
VALUES = [0.0, -0.0, 1.5, -3.0, 60000.0, np.inf, -np.inf, np.nan]


def inputs(dtype, arrays):
    random = np.random.default_rng(7)
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return [random.integers(limits.min, limits.max, COUNT, dtype, endpoint=True) for _ in range(arrays)]
    parts = 2 if np.dtype(dtype).kind == "c" else 1
    choices = np.array(VALUES + list(random.normal(size=8)))
    real = np.dtype(dtype) if parts == 1 else np.dtype(f"f{np.dtype(dtype).itemsize // 2}")
    return [random.choice(choices, COUNT * parts).astype(real).view(dtype) for _ in range(arrays)]


def same(got, want):
    got, want = components(got), components(want)
    if got.dtype.kind in "iu":
        return (got == want).all()
    number = ~np.isnan(want.astype(np.float64))
    # By value: of -0.0 and 0.0 NumPy's minimum and CuPy's need not choose the same one.
    return (np.isnan(got.astype(np.float64)) == ~number).all() and (got[number] == want[number]).all()


def forget():
    for one in (kernels.combine, kernels.pairwise, kernels._divider):
        one.cache_clear()


@pytest.fixture(params=["cupy's", "own"])
def chosen(request, monkeypatch):
    """CuPy's kernels, then ours."""
    forget()
    monkeypatch.setenv(kernels.VARIABLE, request.param)
    yield
    forget()


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize(("dtype", "op"), [(dtype, op) for dtype in DTYPES for op in ops_of(dtype)])
def test_three_inputs_combine_as_numpy_does(dtype, op):
    cupy = cuda.load()
    host = inputs(dtype, 3)
    rule = reduction(op, np.dtype(dtype), 3)
    want = np.empty(COUNT, dtype)
    with np.errstate(all="ignore"):
        rule.combine(host[0], host[1], want)
        rule.combine(want, host[2], want)
        if rule.finish is not None:
            rule.finish(want)
    near = [cupy.empty(COUNT, dtype) for _ in range(5)]
    for target, source in zip(near, host, strict=False):
        copy(target, source)
    kernels.combine(cupy, op, 3, 2)(*near)
    stepwise = cupy.empty(COUNT, dtype)
    kernels.pairwise(cupy, op)(near[0], near[1], stepwise)
    kernels.pairwise(cupy, op)(stepwise, near[2], stepwise)
    for result in (near[3], near[4], stepwise):
        if op == "avg":
            kernels.divide(cupy, result, 3)
        assert same(to_host(result), want)
