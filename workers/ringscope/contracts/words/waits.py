"""The collectives of libraries in which a script's main thread is observed. Pure."""

_TORCH = "dist."

# Collectives that no rank can leave before every rank has entered them: by mpi4py's names, and with a prefix by those
# of torch.distributed; backward is that of a model with DistributedDataParallel.
COLLECTIVES = (
    *("Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Alltoallw", "Barrier"),
    *("Reduce_scatter", "Reduce_scatter_block", "allgather", "allreduce", "alltoall", "barrier"),
    *("dist.all_reduce", "dist.all_gather", "dist.all_gather_single", "dist.all_gather_into_tensor"),
    *("dist.reduce_scatter", "dist.reduce_scatter_single", "dist.reduce_scatter_tensor", "dist.all_to_all"),
    *("dist.all_to_all_single", "dist.barrier", "dist.monitored_barrier", "dist.backward"),
)


def torch_wait(function: str) -> str:
    """Return the name for a function of torch.distributed; empty if it is not one of these collectives."""
    name = _TORCH + function
    return name if name in COLLECTIVES else ""


def is_blocked(collective: str) -> bool:
    """Return whether the rank was seen without any progress there, not only at that line."""
    return collective.startswith(_TORCH)


def collective_words(collective: str) -> str:
    """Return the collective with its library, such as: Allreduce of mpi4py."""
    if not is_blocked(collective):
        return f"{collective} of mpi4py"
    name = collective.removeprefix(_TORCH)
    return "backward of DistributedDataParallel" if name == "backward" else f"{name} of torch.distributed"
