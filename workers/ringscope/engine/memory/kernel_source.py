"""The text of our own kernels for NVRTC: ``combine.cuh``, and a kernel with the types and counts of one use.

Pure, except that it reads that file.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

# fp8 are the types of NCCL and of ml_dtypes with these names.
TYPES = {
    "int8": "Int8",
    "uint8": "UInt8",
    "int32": "Int32",
    "uint32": "UInt32",
    "int64": "Int64",
    "uint64": "UInt64",
    "float8_e4m3fn": "Float8E4M3",
    "float8_e5m2": "Float8E5M2",
    "float16": "Float16",
    "bfloat16": "BFloat16",
    "float32": "Float32",
    "float64": "Float64",
}
OPERATIONS = {"sum": "Sum", "avg": "Sum", "prod": "Prod", "min": "Min", "max": "Max"}
# Multiplications and additions stay apart, as in NumPy.
OPTIONS = ("--std=c++14", "-fmad=false")
DIVIDE = "ringscope_own_divide"


@cache
def _common() -> str:
    return files("ringscope.engine.memory").joinpath("combine.cuh").read_text()


def combine_name(op: str, inputs: int, results: int) -> str:
    """Return the name of the kernel that ``combine_source`` defines."""
    return f"ringscope_own_{op}_{inputs}_{results}"


def combine_source(dtype: str, op: str, inputs: int, results: int) -> str:
    """Return the source of a kernel that combines ``inputs`` arrays from left to right into ``results`` arrays.

    Its arguments are the addresses of the inputs and of the results, and the number of elements.
    """
    sources, targets = [f"in{i}" for i in range(inputs)], [f"out{i}" for i in range(results)]
    parameters = [f"const void* {name}" for name in sources] + [f"void* {name}" for name in targets]
    arrays = f"{{{{{', '.join(sources)}}}, {{{', '.join(targets)}}}}}"
    return f"""{_common()}
extern "C" __global__ void {combine_name(op, inputs, results)}({", ".join(parameters)}, u64 count) {{
    const Arrays<{inputs}, {results}> arrays = {arrays};
    combine<{TYPES[dtype]}, {OPERATIONS[op]}>(arrays, count);
}}
"""


def divide_source(dtype: str) -> str:
    """Return the source of a kernel that turns sums into means; its arguments are an address, the number of ranks and
    the number of elements.
    """
    return f"""{_common()}
extern "C" __global__ void {DIVIDE}(void* array, long long ranks, u64 count) {{
    divide<{TYPES[dtype]}>(array, ranks, count);
}}
"""
