"""A delay of the lab is there on the wire; where the kernel has none to give, it is refused and nothing is left."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import DEADLINE_SECONDS, Lab, eventually, running

from ringscope.client import is_ready
from ringscope.lab import network
from ringscope.lab.lab import Lab as Hosts

pytestmark = [needs_namespaces, pytest.mark.long]

DELAY_MS, LONGER_MS = 5, 10
LINKS = 4  # that a round trip enters: two on its way there, and the same on its way back
LACKS = "--delay: links cannot be delayed here"
ANSWER = """
import socket
with socket.create_server(("0.0.0.0", 7)) as server:
    print("listening", flush=True)
    peer, _ = server.accept()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while said := peer.recv(1):
        peer.sendall(said)
"""
ASK = """
import socket, sys, time
took = []
with socket.create_connection((sys.argv[1], 7)) as peer:
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(20):
        asked = time.monotonic()
        peer.sendall(b"?")
        peer.recv(1)
        took.append(time.monotonic() - asked)
print(min(took))
"""


@pytest.fixture
def lab(data_dir: Path) -> Iterator[Lab]:
    """A server without hosts; those that a test starts are taken down."""
    lab = Lab(data_dir)
    with running(lab.start("server", "--port", "0")):
        eventually(lambda: is_ready(lab.url), "the server's readiness")
        yield lab
        lab.run("lab", "down")


def has_netem() -> bool:
    """Return whether this machine's kernel can delay packets."""
    asked = ("unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms")
    return subprocess.run(asked, capture_output=True).returncode == 0


def round_trip_ms(hosts: Hosts) -> float:
    """The shortest of several round trips of a byte between the first two hosts."""
    layout = hosts.layout()
    answering = subprocess.Popen(layout.inside(1, [sys.executable, "-c", ANSWER]), stdout=subprocess.PIPE, text=True)
    with answering:
        assert answering.stdout is not None
        assert answering.stdout.readline() == "listening\n"
        ask = layout.inside(0, [sys.executable, "-c", ASK, layout.addresses[1]])
        return 1e3 * float(subprocess.run(ask, check=True, capture_output=True, timeout=DEADLINE_SECONDS).stdout)


def links(lab: Lab) -> list[str]:
    """Return what `lab status` says of each host's link."""
    return [row["link"] for row in json.loads(lab.run("lab", "status", "--json").stdout)]


def test_a_delay_is_on_every_link_or_refused_before_anything_is_made(lab: Lab) -> None:
    hosts = Hosts(lab.data_dir)
    up = lab.run("lab", "up", "--hosts", "2", "--delay", f"{DELAY_MS}ms")
    if has_netem():
        assert up.returncode == 0, up.stderr
        assert LINKS * DELAY_MS <= round_trip_ms(hosts) < 2 * LINKS * DELAY_MS
        return
    assert (up.returncode, up.stdout) == (2, "")
    assert up.stderr.startswith(LACKS) and up.stderr.count("\n") == 1
    assert hosts.state is None
    assert network.namespaces(hosts.prefix) == []


def test_one_host_is_delayed_and_healed_or_stays_as_it_is(lab: Lab) -> None:
    hosts = Hosts(lab.data_dir)
    up = lab.run("lab", "up", "--hosts", "2", "--rate", "100mbit")
    assert up.returncode == 0, up.stderr
    degraded = lab.run("lab", "degrade", "h1", "--delay", f"{LONGER_MS}ms")
    if has_netem():
        assert degraded.stdout == f"Host h1: 100 Mbit/s, {LONGER_MS} ms delay\n"
        assert LINKS / 2 * LONGER_MS <= round_trip_ms(hosts) < LINKS * LONGER_MS
        assert lab.run("lab", "heal", "h1").returncode == 0
    else:
        assert (degraded.returncode, degraded.stdout) == (2, "")
        assert degraded.stderr.startswith(LACKS) and degraded.stderr.count("\n") == 1
    assert links(lab) == ["100 Mbit/s"] * 2
    assert round_trip_ms(hosts) < LONGER_MS
