"""nccl-tests' names of dtypes. Pure."""

# nccl-tests' own names, where they differ from ours
THEIR_DTYPES = {"float16": "half", "float32": "float", "float64": "double"}


def dtype_named(name: str) -> str:
    """Return our name of a dtype for nccl-tests' name or our own; unknown names are returned unchanged."""
    ours = {theirs: ours for ours, theirs in THEIR_DTYPES.items()} | {"int": "int32"}
    return ours.get(name, name)
