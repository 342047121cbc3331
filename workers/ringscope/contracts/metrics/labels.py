"""Values of labels that come from closed sets (pure)."""

OPS = frozenset({"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "send", "recv"})


def op_label(op: str) -> str:
    """The ``op`` of a collective; one that is not known is "other"."""
    return op if op in OPS else "other"
