"""The variables that a program for torchrun uses to find its peers."""

import os
from typing import TYPE_CHECKING

from ringscope.engine.meeting import exchange_addresses
from ringscope.engine.own_address import interface_of, own_address

if TYPE_CHECKING:
    from ringscope.engine.communicator import Communicator

_INTERFACE_VARIABLE = "GLOO_SOCKET_IFNAME"


def torchrun_variables(comm: "Communicator") -> dict[str, str]:
    """Return torchrun's variables, with a port that is free on the first rank's node (collective)."""
    first = exchange_addresses(comm)[0]
    node = next(number for number, ranks in enumerate(comm.nodes) if comm.rank in ranks)
    variables: dict[str, object] = {
        "RANK": comm.rank,
        "WORLD_SIZE": comm.size,
        "LOCAL_RANK": comm.local_rank,
        "LOCAL_WORLD_SIZE": len(comm.nodes[node]),
        "GROUP_RANK": node,
        "NODE_RANK": node,
        "GROUP_WORLD_SIZE": len(comm.nodes),
        "MASTER_ADDR": first.host,
        "MASTER_PORT": first.port,
        # PyTorch and Lightning take this name as the sign that a launcher has started every rank already.
        "TORCHELASTIC_RUN_ID": f"ringscope-{first.host}-{first.port}",
        "TORCHELASTIC_RESTART_COUNT": 0,
        "TORCHELASTIC_MAX_RESTARTS": 0,
    }
    if len(comm.nodes) > 1 and _INTERFACE_VARIABLE not in os.environ and (interface := interface_of(own_address())):
        variables[_INTERFACE_VARIABLE] = interface  # otherwise gloo uses the host's own name, which may mean loopback
    return {name: str(value) for name, value in variables.items()}
