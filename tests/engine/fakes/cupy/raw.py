"""cupy.RawKernel: the text of a kernel, compiled by the C++ compiler of this host; threads run one after the other."""

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from cupy.script import fake

# What a GPU's compiler knows by itself.
_BEFORE = """
#include <cstddef>
#include <utility>
#define __global__ static
#define __device__
#define __forceinline__ inline
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct Place { unsigned x; };
static Place blockIdx, threadIdx, blockDim, gridDim;
"""
# All arguments of a kernel have 8 bytes.
_AFTER = """
template <class... A, std::size_t... I>
static void call(void (*kernel)(A...), const u64* given, std::index_sequence<I...>) { kernel((A)given[I]...); }
template <class... A>
static void call(void (*kernel)(A...), const u64* given) { call(kernel, given, std::index_sequence_for<A...>{}); }
extern "C" void run_grid(unsigned grid, unsigned block, const u64* given) {
    gridDim.x = grid;
    blockDim.x = block;
    for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x) call(KERNEL_NAME, given);
}
"""
_OPTIONS = ("-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w")
_libraries = {}


def compiler():
    """The host's C++ compiler; None if there is none."""
    return shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")


class RawKernel:
    """A kernel in C++, which ``compile`` or the first launch compiles."""

    def __init__(self, code, name, options=(), backend="nvrtc"):
        assert backend == "nvrtc" and "--std=c++14" in options
        self.name, self._code, self._library = name, code, None

    def compile(self):
        if fake.compiler_fault is not None:
            raise fake.compiler_fault
        if self._library is None:
            self._library = _built(self._code, self.name)

    def __call__(self, grid, block, arguments):
        self.compile()
        (blocks,), (threads,) = grid, block
        given = (ctypes.c_uint64 * len(arguments))(*(int(one) & (1 << 64) - 1 for one in arguments))
        from cupy import enqueue

        enqueue(self.name, int(arguments[-1]), lambda: self._library.run_grid(blocks, threads, given))


def _built(code, name):
    text = _BEFORE + code.replace('extern "C" __global__', "__global__") + _AFTER.replace("KERNEL_NAME", name)
    key = hashlib.sha256(text.encode()).hexdigest()
    if key not in _libraries:
        with tempfile.TemporaryDirectory(prefix="fake-nvrtc-") as folder:
            source, library = Path(folder) / "kernel.cpp", Path(folder) / "kernel.so"
            source.write_text(text)
            done = subprocess.run([compiler(), *_OPTIONS, "-o", library, source], capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr)
            _libraries[key] = ctypes.CDLL(str(library))
    return _libraries[key]
