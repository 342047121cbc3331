"""The address of this node, where its own name leads nowhere."""

import socket
from typing import Any

import pytest

from ringscope.contracts.address import Address
from ringscope.contracts.rank_process import ADDRESS_VARIABLE
from ringscope.engine import own_address as module
from ringscope.engine.own_address import address_towards, interface_of, is_only_here, own_address

HOSTS = {"debian": ["127.0.1.1"], "good": ["10.1.1.1"], "both": ["::1", "2001:db8::1"], "n7": ["10.7.7.7"]}


@pytest.fixture(autouse=True)
def _hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose names are those of HOSTS, on the way to others by 10.3.3.3."""

    def look_up(name: str, port: Any, **kinds: Any) -> list[Any]:
        numbers = HOSTS.get(name) or ([name] if name[0].isdigit() or ":" in name else [])
        if not numbers:
            raise socket.gaierror
        return [(socket.AF_INET6 if ":" in one else socket.AF_INET, 1, 6, "", (one, 0)) for one in numbers]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(module, "address_towards", lambda other: "10.3.3.3")
    monkeypatch.delenv(ADDRESS_VARIABLE, raising=False)


@pytest.mark.parametrize(
    ("given", "name", "found"),
    [
        ("n7", "debian", "10.7.7.7"),  # the agent's --address comes first
        ("10.5.5.5", "good", "10.5.5.5"),
        ("127.0.0.1", "good", "127.0.0.1"),  # all nodes are on one machine
        ("", "good", "10.1.1.1"),
        ("", "both", "2001:db8::1"),
        ("", "debian", "10.3.3.3"),
        ("debian", "debian", "10.3.3.3"),  # others resolve it; this machine takes it for itself
        ("", "unknown", "10.3.3.3"),
    ],
)
def test_the_address_is_one_that_others_reach(
    monkeypatch: pytest.MonkeyPatch, given: str, name: str, found: str
) -> None:
    if given:
        monkeypatch.setenv(ADDRESS_VARIABLE, given)
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    assert own_address() == found


@pytest.mark.parametrize(
    ("address", "only_here"), [("debian", True), ("127.0.0.1", True), ("good", False), ("x", False)]
)
def test_a_name_that_means_this_machine_alone_is_known(address: str, only_here: bool) -> None:
    assert is_only_here(address) is only_here


def test_the_way_to_this_machine_is_the_loopback_which_is_no_answer() -> None:
    assert address_towards(Address("127.0.0.1", 80)) is None


def test_an_interface_is_found_by_its_address() -> None:
    assert interface_of("127.0.0.1") == "lo"
    assert interface_of("192.0.2.77") is None
