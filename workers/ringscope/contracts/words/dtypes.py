"""Data types and operations: how large an element is, and which operation has a meaning on it. Pure."""

from typing import Literal, get_args

DType = Literal[
    "int8",
    "uint8",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
Op = Literal["sum", "prod", "min", "max", "avg"]

ITEMSIZE_BYTES: dict[str, int] = {
    "int8": 1,
    "uint8": 1,
    "int32": 4,
    "uint32": 4,
    "int64": 8,
    "uint64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    "complex64": 8,
    "complex128": 16,
}
DTYPES: tuple[str, ...] = get_args(DType)
OPS: tuple[str, ...] = get_args(Op)
# Complex numbers have no order, and NCCL cannot multiply them. Sum and mean are computed as for twice as many real
# numbers.
_COMPLEX_OPS: tuple[str, ...] = ("sum", "avg")
# PyTorch's gloo cannot reduce unsigned integers of more than 8 bits.
GLOO_DTYPES: tuple[str, ...] = tuple(name for name in DTYPES if name not in ("uint32", "uint64"))
# Types that NumPy and MPI support but NCCL does not, each with a wider type that it fits in.
_WIDER: dict[str, str] = {"int16": "int32", "uint16": "uint32", "bool": "uint8"}


def ops_of(dtype: str) -> tuple[str, ...]:
    """Return the operations that are defined for a dtype."""
    return _COMPLEX_OPS if dtype.startswith("complex") else OPS


def check_dtype(dtype: str) -> None:
    """Raise ValueError, in a sentence without the field's name, for a dtype that the engine cannot reduce."""
    if dtype in _WIDER:
        raise ValueError(f"{dtype} is not supported, as NCCL has no such type; convert to {_WIDER[dtype]}.")
    if dtype not in DTYPES:
        raise ValueError(f"unknown dtype {dtype!r}; choose one of {', '.join(DTYPES)}.")


def check_op(op: str, dtype: str) -> None:
    """Raise ValueError, in a sentence without the field's name, for an operation that is not defined for ``dtype``."""
    if op not in OPS:
        raise ValueError(f"unknown op {op!r}; choose one of {', '.join(OPS)}.")
    if op not in ops_of(dtype):
        raise ValueError(f"{op} is not defined for {dtype}; choose {' or '.join(ops_of(dtype))}, or a real dtype.")
