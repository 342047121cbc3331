"""Names of collectives and dtypes as other tools write them. Pure."""

import re

from ringscope.contracts.words.collectives import COLLECTIVES, bus_factor

# Bytes of one element, by the names of nccl-tests, rccl-tests and ours.
ITEMSIZES = {
    "int8": 1, "char": 1, "uint8": 1, "f8e4m3": 1, "f8e5m2": 1, "fp8_e4m3": 1, "fp8_e5m2": 1, "float8_e4m3": 1,
    "float8_e5m2": 1, "half": 2, "float16": 2, "bfloat16": 2, "int32": 4, "int": 4, "uint32": 4, "float": 4,
    "float32": 4, "int64": 8, "uint64": 8, "double": 8, "float64": 8,
}  # fmt: skip
_MORE = ("alltoallv", "gather", "scatter", "hypercube")
_KNOWN = {name.replace("_", ""): name for name in (*COLLECTIVES, *_MORE)}
_PART = frozenset({"reduce_scatter", "all_gather", "alltoall", "alltoallv", "gather", "scatter"})
_PROGRAM = re.compile(r"(?:^|[\s/'\"(])(?:nccl_|rccl_)?([a-z][a-z_]{3,15})_perf(?:_mpi)?(?=$|[\s'\",)])")


def collective_named(name: str) -> str | None:
    """Return our name of a collective: all_reduce for AllReduce, allreduce, all_reduce_perf_mpi, rccl_all_reduce."""
    bare = name.strip().rpartition("/")[2].lower().removeprefix("nccl_").removeprefix("rccl_")
    return _KNOWN.get(re.sub(r"[^a-z]", "", bare.partition("_perf")[0]))


def program_in(line: str) -> str | None:
    """Return the collective whose test program a command line starts."""
    found = _PROGRAM.search(line) if "_perf" in line else None
    return collective_named(found[1]) if found else None


def factor(collective: str, ranks: int) -> float:
    """Return the factor from algbw to busbw, also for the collectives that we do not execute."""
    if collective in _PART:
        return (ranks - 1) / ranks
    return 1.0 if collective == "hypercube" else bus_factor(collective, ranks)


def has_parts(collective: str) -> bool:
    """Return whether the column count is per rank, so that the size is ranks times as much."""
    return collective in _PART and collective != "alltoallv"
