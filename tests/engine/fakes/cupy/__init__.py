# ruff: noqa: N801 (the names are CuPy's and CUDA's)
"""A CuPy without a GPU, for tests: the calls that the engine makes, with CuPy's names, rules and refusals.

Work is done in host memory: at once or, with ``fake.is_lazy``, when somebody waits for it. Every call that CUDA or NCCL
would see is written to ``fake.calls``. It is strict where the real one is: NumPy cannot touch these arrays, a stream
belongs to a GPU, an IPC handle needs the address of an allocation, nobody may open a handle of their own or free what a
peer has mapped, and ``Stream.done`` never tells of a failure. Put this folder's parent on ``sys.path``; then
``import cupy`` finds it.
"""

import ctypes
import re
from types import SimpleNamespace

import numpy as np

from cupy.script import fake

__all__ = [
    "ElementwiseKernel",
    "RawKernel",
    "add",
    "copyto",
    "count_nonzero",
    "cuda",
    "empty",
    "empty_like",
    "fake",
    "ndarray",
    "zeros",
]


class ndarray:
    """An array that NumPy cannot see into."""

    def __init__(self, shape, dtype=float, memptr=None):
        if memptr is None:
            self._host = np.empty(shape, dtype)
        else:
            count = int(np.prod(shape)) * np.dtype(dtype).itemsize
            memory = (ctypes.c_char * count).from_address(memptr.ptr)
            self._host = np.frombuffer(memory, dtype).reshape(shape)
        self._owner = memptr

    @classmethod
    def _of(cls, host, owner):
        array = cls.__new__(cls)
        array._host, array._owner = host, owner
        return array

    def __array__(self, *arguments, **keywords):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def __array_function__(self, function, types, arguments, keywords):
        raise TypeError(f"{function.__name__}: NumPy got a CuPy array")

    __array_ufunc__ = None

    shape = property(lambda self: self._host.shape)
    dtype = property(lambda self: self._host.dtype)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    itemsize = property(lambda self: self._host.itemsize)
    flags = property(lambda self: self._host.flags)
    data = property(lambda self: SimpleNamespace(ptr=self._host.ctypes.data, device_id=fake.device, mem=self._mem))

    @property
    def _mem(self):
        if self._owner is None:
            return self._host if self._host.base is None else self._host.base
        return self._owner.mem

    @property
    def __cuda_array_interface__(self):  # what MPI sends; without memory of its own a real one tells address 0
        assert self.dtype.kind in "iufc", "a dtype that CuPy has no name for here"
        pointer = self.data.ptr if self.size else 0
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (pointer, False), "version": 3}

    def __getitem__(self, index):
        return self._of(self._host[index], self._owner)

    def __setitem__(self, index, value):
        fake.catch_up()
        if isinstance(value, np.ndarray):
            raise TypeError("Unsupported type numpy.ndarray")
        self._host[index] = value._host if isinstance(value, ndarray) else value

    def __iadd__(self, value):
        fake.catch_up()
        self._host += value
        return self

    def __ne__(self, other):
        if not isinstance(other, ndarray):
            raise TypeError("Unsupported type")
        fake.catch_up()
        return self._of(self._host != other._host, None)

    __hash__ = None

    def view(self, dtype):
        return self._of(self._host.view(dtype), self._owner)

    def reshape(self, *shape):
        return self._of(self._host.reshape(*shape), self._owner)

    def fill(self, value):
        fake.do(lambda: self._host.fill(value))

    def get(self, out=None):
        fake.catch_up()
        fake.record("get", self.size)
        if out is None:
            return self._host.copy()
        assert out.dtype == self.dtype and out.shape == self.shape and out.flags.c_contiguous
        out[...] = self._host
        return out

    def set(self, array):
        assert isinstance(array, np.ndarray) and array.dtype == self.dtype and array.shape == self.shape
        fake.catch_up()
        fake.record("set", self.size)
        self._host[...] = array


def empty(shape, dtype=float):
    return ndarray(shape, dtype)


def zeros(shape, dtype=float):
    array = ndarray(shape, dtype)
    array.fill(0)
    return array


def empty_like(array):
    return ndarray(array.shape, array.dtype)


def count_nonzero(array):
    fake.catch_up()
    return np.count_nonzero(array._host)  # the real one's is an array without dimensions, which ``int`` takes as well


def copyto(target, source):
    def work():
        target._host[...] = source._host

    enqueue("copyto", source.size, work)


def _ufunc(function):
    def call(first, second, out):
        def work():
            with np.errstate(all="ignore"):
                function(first._host, second._host, out=out._host)

        enqueue(function.__name__, out.size, work)

    call.__name__ = function.__name__
    return call


add, multiply, minimum, maximum = (_ufunc(f) for f in (np.add, np.multiply, np.minimum, np.maximum))


class _Integers(np.ndarray):
    """Divides as C does: exactly, and cut towards zero."""

    def __truediv__(self, divisor):
        whole = np.asarray(self)
        return whole // divisor + ((whole < 0) & (whole % divisor != 0)).astype(whole.dtype)


class ElementwiseKernel:
    """Runs the kernel's text as Python, which the engine's kernels also are."""

    def __init__(self, in_params, out_params, operation, name, preamble=""):
        self._ins, self._outs = (re.findall(r"\w+ (\w+)", text) for text in (in_params, out_params))
        self._operation, self.name = operation, name

    def __call__(self, *arguments):
        names = self._ins + self._outs
        assert len(arguments) == len(names)
        arrays = dict(zip(names, arguments, strict=True))
        dtype = arguments[-1].dtype
        kind = _Integers if dtype.kind in "iu" else np.ndarray
        values = {name: a._host.view(kind) if isinstance(a, ndarray) else a for name, a in arrays.items()}
        values |= {"T": lambda v: v.astype(dtype), "lower": np.minimum, "higher": np.maximum}

        def work():
            found = dict(values)  # a graph does this more than once
            with np.errstate(all="ignore"):
                exec(self._operation, found)
            results = [found[name].copy() for name in self._outs]
            for name, result in zip(self._outs, results, strict=True):
                arrays[name]._host[...] = result

        enqueue(self.name, arguments[-1].size, work)


def enqueue(name, size, work):
    if fake.status:
        raise cuda.driver.CUDADriverError(fake.status)
    if name != "copyto" and name not in fake.compiled:
        if fake.compiler_fault is not None:
            raise fake.compiler_fault
        fake.compiled.add(name)
    fake.record(name, size, cuda.current_stream())
    fake.do(work)


from cupy import cuda  # noqa: E402 (it needs ndarray)
from cupy.raw import RawKernel  # noqa: E402
