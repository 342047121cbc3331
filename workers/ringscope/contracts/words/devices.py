"""Transports and algorithms that work in host memory (cpu) and on GPUs (cuda). Pure."""

from collections.abc import Iterable, Sequence
from typing import Literal

TransportName = Literal["auto", "shared_memory", "mpi", "nccl", "cuda_ipc", "simulated"]
Device = Literal["auto", "cpu", "cuda"]
SIMULATED = "simulated"  # the transport that moves no data: the cost model computes the times

# The devices of each transport; the first is the default.
TRANSPORT_DEVICES: dict[str, tuple[str, ...]] = {
    "shared_memory": ("cpu",),
    "mpi": ("cpu", "cuda"),
    "nccl": ("cuda",),
    "cuda_ipc": ("cuda",),
}
# The devices of libraries that execute collectives without a schedule of ours; MPI uses GPU memory over transport mpi
# only.
VENDOR_DEVICES: dict[str, tuple[str, ...]] = {"mpi": ("cpu", "cuda"), "gloo": ("cpu",), "nccl": ("cuda",)}
MPI_ON_GPUS = "mpi on GPUs"  # name of transport mpi in records if the buffers are GPU memory, because its times differ

# What NCCL knows of the buffers, by nccl-tests' -R: names behind that of transport nccl in records.
REGISTRATIONS = ("", "registered", "symmetric windows")

_GPU_TRANSPORTS = ("nccl", "cuda_ipc", MPI_ON_GPUS)


def usual_channels(ranks_of_nodes: Sequence[int], transport: str) -> int:
    """Return the default channel count of rings and trees over a transport, named as in records.

    Between nodes with GPUs it is the number of ranks on the smallest node, because each has its own network card or a
    part of one. The processes of a host share its cards and cores, so one channel is used there.
    """
    is_on_gpus = transport.partition(",")[0] in _GPU_TRANSPORTS
    return min(ranks_of_nodes) if is_on_gpus and len(ranks_of_nodes) > 1 else 1


def too_many_channels(channels: int, ranks: int) -> str:
    """Return the error sentence for more channels than the smallest node's ``ranks`` ranks."""
    return f"{channels} cannot each leave a node of {ranks} through a different rank; give 1 to {ranks}."


def settle(device: str, transport: str = "auto", algorithms: Iterable[str] = ()) -> str:
    """Return the device that the three names allow: cpu, cuda, or auto if both are possible.

    Raises ValueError, in a sentence without the field's name, when they contradict each other.
    """
    named = {f"device {device}": device} if device != "auto" else {}
    if transport in TRANSPORT_DEVICES:
        named[f"transport {transport}"] = _place(TRANSPORT_DEVICES[transport], device)
    vendors = [name for name in algorithms if name in VENDOR_DEVICES]
    for name in vendors:
        places = ("cpu",) if name == "mpi" and transport != "mpi" else VENDOR_DEVICES[name]
        named[f"algorithm {name}"] = _place(places, device)
    if not named:
        return "auto"
    first, settled = next(iter(named.items()))
    for other, its_device in named.items():
        if its_device != settled:
            raise ValueError(f"{first} needs {_PLACES[settled]} but {other} {_PLACES[its_device]}; leave one out.")
    if transport in ("cuda_ipc", "mpi") and "nccl" in vendors:
        raise ValueError(f"algorithm nccl does not work over transport {transport}; choose transport nccl or auto.")
    return settled


def with_registration(transport: str, registration: int) -> str:
    """Return the name in records of a transport whose buffers are registered."""
    return f"{transport}, {REGISTRATIONS[registration]}" if registration else transport


def carrier(algorithm: str, transport: str) -> str:
    """Return the name of what moves an algorithm's data: ``transport``, or a library in host memory, which moves its
    own.
    """
    is_own = "cpu" in VENDOR_DEVICES.get(algorithm, ()) and not transport.startswith(MPI_ON_GPUS)
    return algorithm if is_own else transport


def _place(places: tuple[str, ...], device: str) -> str:
    return device if device in places else places[0]


_PLACES = {"cpu": "host memory", "cuda": "GPU memory"}
