"""Values of labels that come from closed sets (pure)."""

OPS = frozenset({"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "send", "recv"})


def op_label(op: str) -> str:
    """Return the label ``op`` of a collective; "other" for an unknown one."""
    return op if op in OPS else "other"
