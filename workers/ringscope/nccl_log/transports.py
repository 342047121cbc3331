"""The transports of NCCL's connections as classes, from the fastest to the slowest. Pure."""

from ringscope.contracts.words.units import is_whole_number

P2P, SHM, GPUDIRECT, NETWORK, SOCKET, OTHER = (
    "P2P",
    "shared memory",
    "the network with GPUDirect RDMA",
    "the network without GPUDirect RDMA",
    "TCP sockets",
    "another transport",
)
CLASSES = (P2P, SHM, GPUDIRECT, NETWORK, SOCKET)


def class_of(transport: str) -> str:
    """Return the class of a transport as NCCL prints it: P2P/CUMEM, SHM/direct/direct, NET/IB/0/GDRDMA."""
    if transport.startswith("P2P"):
        return P2P
    if transport.startswith("SHM") or "shared memory" in transport:
        return SHM
    if transport.startswith("NET/Socket"):
        return SOCKET
    if transport.startswith(("NET/", "COLLNET/")):
        return GPUDIRECT if "GDRDMA" in transport else NETWORK
    return OTHER


def card_of(transport: str) -> int | None:
    """Return the index of the card of a connection over InfiniBand: NET/IB/3, NET/IB/3(5)/GDRDMA, NET/IBext_v8/2."""
    parts = transport.split("/")
    if len(parts) < 3 or parts[0] != "NET" or not parts[1].startswith("IB"):
        return None
    digits = parts[2].partition("(")[0]
    return int(digits) if is_whole_number(digits) and len(digits) < 6 else None
