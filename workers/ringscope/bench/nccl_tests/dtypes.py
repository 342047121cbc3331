"""nccl-tests' names of dtypes. Pure."""

THEIR_DTYPES = {"float16": "half", "float32": "float", "float64": "double"}  # where nccl-tests has names of its own


def dtype_named(name: str) -> str:
    """Our name of a dtype, for nccl-tests' or for our own; unknown names come back as they are."""
    ours = {theirs: ours for ours, theirs in THEIR_DTYPES.items()} | {"int": "int32"}
    return ours.get(name, name)
