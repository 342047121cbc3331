"""Ranks exchange addresses at which libraries other than MPI can connect."""

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from ringscope.contracts.address import Address
from ringscope.contracts.rank_process import ADDRESS_VARIABLE
from ringscope.engine.meeting import exchange_addresses


def test_a_rank_gives_the_address_of_its_agent_and_a_port_that_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    def total(values: Any) -> Any:
        values = values.copy()
        values[0, :7] = list(b"n1:4242")
        return values

    monkeypatch.setenv(ADDRESS_VARIABLE, "10.9.8.7")
    comm: Any = SimpleNamespace(rank=1, size=2, nodes=((0,), (1,)), total=total)
    other, mine = exchange_addresses(comm)
    assert (other, mine.host) == (Address("n1", 4242), "10.9.8.7")
    assert mine.port is not None
    with socket.socket() as free:
        free.bind(("", mine.port))


def test_ranks_of_one_node_meet_at_the_loopback() -> None:
    comm: Any = SimpleNamespace(rank=0, size=1, nodes=((0,),), total=lambda values: values)
    assert exchange_addresses(comm)[0].host == "127.0.0.1"
