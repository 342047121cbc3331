"""Our own kernels, compiled for this host, give NumPy's bits for every type, operation, place and length."""

import ctypes
import importlib.util
import re
from itertools import product
from pathlib import Path

import ml_dtypes  # noqa: F401  # NumPy then knows bfloat16 and the types of 8 bits
import numpy as np
import pytest
from tests.engine.fakes.fixture import cupy as cupy

from ringscope.engine.memory import kernel_source, kernels
from ringscope.engine.memory.kernel_source import OPERATIONS, TYPES
from ringscope.engine.memory.own_kernels import MOST_ARRAYS, Combine, Divide

FUNCTIONS = {"sum": np.add, "avg": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
COUNTS = (0, 1, 7, 15, 16, 17, 31, 33, 1000, 4097)
ARCHITECTURES = (80, 90, 100)


@pytest.fixture(autouse=True)
def _compiler(cupy):
    if cupy.raw.compiler() is None:
        pytest.skip("there is no C++ compiler here, such as g++")


def placed(cupy, values, offset):
    """The values on the fake GPU, so many elements behind an address that is a multiple of 64."""
    memory = cupy.empty(values.nbytes + 4096, "uint8")
    start = -memory.data.ptr % 64 + offset * values.itemsize
    array = memory[start : start + values.nbytes].view(values.dtype)
    array._memory = memory  # it lives as long
    array.set(values)
    return array


def numbers(dtype, count, seed):
    """Any bits, so that there are subnormal numbers, infinities and NaN."""
    return np.random.default_rng(seed).integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8).view(dtype)


def assert_equal(have, want):
    """Bit by bit, but that a NaN is one whatever its bits say."""
    bits = f"u{want.itemsize}"
    both_nan = (have != have) & (want != want)
    assert ((have.view(bits) == want.view(bits)) | both_nan).all()


@pytest.mark.matrix
@pytest.mark.parametrize("op", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_and_operation_gives_numpys_bits(cupy, dtype, op):
    inputs = [numbers(dtype, 70_001, seed) for seed in range(3)]
    result = placed(cupy, np.zeros(70_001, dtype), 0)
    Combine(cupy, op, 3, 1)(*(placed(cupy, one, 0) for one in inputs), result)
    with np.errstate(all="ignore"):  # of NaN that signal, also where they are compared
        want = FUNCTIONS[op](FUNCTIONS[op](inputs[0], inputs[1]), inputs[2])
        if op in ("min", "max") and want.dtype.kind not in "iu":
            want = np.where(want == 0, np.zeros((), dtype), want)  # either zero may win
            result.set(np.where(result.get() == 0, np.zeros((), dtype), result.get()))
        assert_equal(result.get(), want)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64"])
def test_every_place_and_length_is_done_once(cupy, dtype):
    kernel = Combine(cupy, "sum", 2, 2)
    for count, offset, apart in product(COUNTS, range(4), (0, 1)):
        first, second = numbers(dtype, count, 1), numbers(dtype, count, 2)
        one, other = placed(cupy, first, offset), placed(cupy, second, offset + apart)
        around = placed(cupy, np.full(count + 64, 7, dtype), offset)
        result = around[32 : 32 + count] if np.dtype(dtype).itemsize * 32 % 16 == 0 else around[:count]
        kernel(one, other, result, one)  # in place, too
        with np.errstate(all="ignore"):
            want = first + second
        assert_equal(result.get(), want)
        assert_equal(one.get(), want)
        assert (around.get()[:32] == 7).all() and (around.get()[32 + count :] == 7).all()


def test_a_mean_is_divided_and_whole_numbers_are_cut_towards_zero(cupy):
    for dtype in ("int8", "uint8", "int64", "float16", "float32", "complex64"):
        values = numbers("uint8", 256 * 16, 3).astype("int16").astype(dtype) - np.array(100, dtype)
        array = placed(cupy, values, 1)
        Divide(cupy)(3, array)
        if values.dtype.kind in "iu":
            want = np.trunc(values.astype(np.longdouble) / 3).astype(dtype)
        elif dtype == "complex64":
            want = (values.view("float32") / np.float32(3)).view(dtype)
        else:
            want = values / np.array(3, dtype)
        assert (array.get() == want).all(), dtype


def test_the_variable_chooses_them_for_plans(cupy, monkeypatch):
    assert not isinstance(kernels.pairwise(cupy, "sum"), Combine)
    for function in (kernels.pairwise, kernels.combine, kernels._divider):
        function.cache_clear()
    monkeypatch.setenv(kernels.VARIABLE, "own")
    assert isinstance(kernels.pairwise(cupy, "sum"), Combine)
    assert isinstance(kernels.combine(cupy, "max", 3, 2), Combine)
    assert not isinstance(kernels.combine(cupy, "max", MOST_ARRAYS, 1), Combine), "its packs would not fit"
    values = placed(cupy, np.arange(1000, dtype=np.complex128), 0)
    kernels.compile_reduction(cupy, "avg", values.dtype)
    kernels.pairwise(cupy, "avg")(values, values, values)
    kernels.divide(cupy, values, 4)
    assert (values.get() == np.arange(1000) / 2).all()
    assert {"ringscope_own_avg_2_1", "ringscope_own_divide"} <= set(cupy.fake.names())


class Nvrtc:
    """The real compiler, from NVIDIA's wheel; it needs neither a GPU nor a driver."""

    def __init__(self):
        folder = Path(importlib.util.find_spec("nvidia.cuda_nvrtc").submodule_search_locations[0]) / "lib"
        for path in sorted(folder.glob("libnvrtc-builtins.so.*")):
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        (path,) = folder.glob("libnvrtc.so.*")
        self._library = ctypes.CDLL(str(path))

    def compile(self, code, architecture):
        """The log, and the PTX; empty if it fails."""
        library, program = self._library, ctypes.c_void_p()
        assert library.nvrtcCreateProgram(ctypes.byref(program), code.encode(), b"kernel.cu", 0, None, None) == 0
        options = (*kernel_source.OPTIONS, "-ftz=true", f"--gpu-architecture=compute_{architecture}")  # as CuPy does
        words = [option.encode() for option in options]
        status = library.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
        log = self._text("ProgramLog", program)
        ptx = self._text("PTX", program) if status == 0 else ""
        library.nvrtcDestroyProgram(ctypes.byref(program))
        return log, ptx

    def _text(self, what, program):
        size = ctypes.c_size_t()
        assert getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
        text = ctypes.create_string_buffer(size.value)
        assert getattr(self._library, f"nvrtcGet{what}")(program, text) == 0
        return text.value.decode().strip()


@pytest.mark.long
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_nvrtc_compiles_all_without_a_word_and_loads_are_of_16_bytes(architecture):
    try:
        nvrtc = Nvrtc()
    except (ImportError, AttributeError):
        pytest.skip("NVRTC is not installed; pip install nvidia-cuda-nvrtc-cu12.")
    for dtype, op, (inputs, results) in product(TYPES, OPERATIONS, ((2, 1), (3, 2), (8, 8))):
        if "float8" in dtype and (op, inputs) != ("sum", 2):
            continue  # 10 s each
        log, ptx = nvrtc.compile(kernel_source.combine_source(dtype, op, inputs, results), architecture)
        assert log == "" and ptx, (dtype, op, inputs, log)
        in_flight = {2: 4, 3: 2, 8: 1}[inputs]
        for access, each in (("ld", inputs * in_flight), ("st", results * in_flight)):  # of a turn; some are unrolled
            found = re.findall(rf"{access}\.global\.(v\d\.\w+)", ptx)
            assert {*found} == {"v4.u32"} and len(found) % each == 0, (dtype, op, inputs, found)
        assert ".local" not in ptx, "packs stay in registers"
        flushing = [line for line in ptx.splitlines() if ".ftz" in line and "setp.nan" not in line]
        assert not flushing or "float8" in dtype, "CuPy's option makes 0 of no subnormal number"
    for dtype in TYPES:
        assert nvrtc.compile(kernel_source.divide_source(dtype), architecture)[0] == ""
