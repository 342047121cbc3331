"""The first records of a rank: its place in the gang, and the environment of its node."""

import os
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ringscope.contracts.record import Hello
from ringscope.rank.environment import bound_cpus, numa_node, take_environment
from ringscope.rank.reporter import Reporter


@dataclass(frozen=True)
class Standing:
    """The number of a rank among all ``ranks``, its number on its node, all ranks of its node, and its device."""

    rank: int
    ranks: int
    local_rank: int
    here: Sequence[int]
    device: str = "cpu"


def introduce(standing: Standing, reporter: Reporter) -> None:
    """Send the rank's place, and on the first rank of each node its environment."""
    from ringscope.engine.transports.mpi import mpi_versions

    cpus = bound_cpus()
    hello = Hello(
        rank=standing.rank,
        local_rank=standing.local_rank,
        ranks=standing.ranks,
        pid=os.getpid(),
        host=socket.gethostname(),
        device=standing.device,
        cpus=cpus,
        numa_node=numa_node(cpus),
        time_ns=time.time_ns(),
    )
    reporter.send(hello)
    if standing.local_rank == 0:
        reporter.send(take_environment(standing.rank, standing.here, mpi_versions(), os.environ))
