"""What works in host memory (cpu) and what on GPUs (cuda). Pure."""

from collections.abc import Iterable

TRANSPORT_DEVICES: dict[str, str] = {"shared_memory": "cpu", "mpi": "cpu", "nccl": "cuda", "cuda_ipc": "cuda"}
# Of the libraries that execute collectives without a schedule of ours.
VENDOR_DEVICES: dict[str, str] = {"mpi": "cpu", "gloo": "cpu", "nccl": "cuda"}


def settle(device: str, transport: str = "auto", algorithms: Iterable[str] = ()) -> str:
    """The device that the three names leave: cpu, cuda, or auto when both will do.

    Raises ValueError, in a sentence without the field's name, when they contradict each other.
    """
    named = {f"device {device}": device} if device != "auto" else {}
    if transport in TRANSPORT_DEVICES:
        named[f"transport {transport}"] = TRANSPORT_DEVICES[transport]
    vendors = [name for name in algorithms if name in VENDOR_DEVICES]
    named |= {f"algorithm {name}": VENDOR_DEVICES[name] for name in vendors}
    if not named:
        return "auto"
    first, settled = next(iter(named.items()))
    for other, its_device in named.items():
        if its_device != settled:
            raise ValueError(f"{first} needs {_PLACES[settled]} but {other} {_PLACES[its_device]}; leave one out.")
    if transport == "cuda_ipc" and "nccl" in vendors:
        raise ValueError("algorithm nccl does not work over transport cuda_ipc; choose transport nccl or auto.")
    return settled


def carrier(algorithm: str, transport: str) -> str:
    """What moves an algorithm's data among ranks joined by ``transport``: a library in host memory is its own."""
    return algorithm if VENDOR_DEVICES.get(algorithm) == "cpu" else transport


_PLACES = {"cpu": "host memory", "cuda": "GPU memory"}
