"""nccl-tests' formulas, table and JSON, so that numbers compare one to one with the field's benchmark. Pure."""

_NCCL_DTYPES = {"float32": "float", "int32": "int32"}


def bus_factor(collective: str, ranks: int) -> float:
    """What algbw is multiplied by to count bytes on the bus (nccl-tests doc/PERFORMANCE.md); one rank: 0."""
    if collective != "all_reduce":
        raise ValueError(f"{collective}: there is no bus factor for it.")
    return 2 * (ranks - 1) / ranks
