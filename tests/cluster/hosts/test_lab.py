"""The lab: links that are real, hosts that share nothing else, and nothing left of it afterwards."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tests.cluster.hosts.conftest import needs_namespaces
from tests.cluster.lab import DEADLINE_SECONDS, Lab, eventually, running

from ringscope.lab import network
from ringscope.lab.lab import Lab as Hosts
from ringscope.lab.network import Layout, Link

pytestmark = [needs_namespaces, pytest.mark.long]
PREFIX = f"rstest{os.getpid()}-"
MESSAGE_BYTES = 1 << 20
LONG_BYTES = 8_000_004  # a sixth of it is cut up on its way
RECEIVE = """
import socket, sys, time
with socket.create_server(("0.0.0.0", 7)) as server:
    print("listening", flush=True)
    peer, _ = server.accept()
    started, got = time.monotonic(), 0
    while piece := peer.recv(1 << 16):
        got += len(piece)
    print(got / (time.monotonic() - started))
"""
SEND = """
import socket, sys
with socket.create_connection((sys.argv[1], 7)) as peer:
    peer.sendall(bytes(int(sys.argv[2])))
"""
COUNT = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    receiver.bind(("0.0.0.0", 9))
    print("listening", flush=True)
    got = 0
    while receiver.recv(2000) != b"end":
        got += 1
    print(got)
"""
SCATTER = """
import socket, sys, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    for number in range(int(sys.argv[2])):
        sender.sendto(bytes(100), (sys.argv[1], 9))
        if number % 50 == 0:
            time.sleep(0.002)  # the receiver's buffer must not be what loses packets
    for _ in range(50):
        sender.sendto(b"end", (sys.argv[1], 9))
"""


@contextmanager
def built(layout: Layout) -> Iterator[Layout]:
    network.build(layout)
    try:
        yield layout
    finally:
        network.remove(layout.prefix)
    assert network.namespaces(layout.prefix) == []


def talk(layout: Layout, source: int, target: int, programs: tuple[str, str], amount: int) -> float:
    """Return what the first program, on the target, prints once the second one has sent it ``amount``."""
    receive, send = programs
    listening = subprocess.Popen(
        layout.inside(target, [sys.executable, "-c", receive]), stdout=subprocess.PIPE, text=True
    )
    with listening:
        assert listening.stdout is not None
        assert listening.stdout.readline() == "listening\n"
        command = layout.inside(source, [sys.executable, "-c", send, layout.addresses[target], str(amount)])
        subprocess.run(command, check=True, timeout=DEADLINE_SECONDS)
        return float(listening.stdout.read())


def test_uplinks_are_slower_than_their_racks() -> None:
    layout = Layout(PREFIX, "10.213.254", 4, Link(80_000_000), racks=2, oversubscription=4)
    with built(layout):
        inside = talk(layout, 0, 1, (RECEIVE, SEND), 4 * MESSAGE_BYTES)
        between = talk(layout, 0, 2, (RECEIVE, SEND), 4 * MESSAGE_BYTES)
    # A token bucket lets its first 128 KiB pass at once.
    assert 0.8 < inside / layout.payload_bytes_per_s < 1.1
    assert 0.8 < between / (layout.payload_bytes_per_s / 2) < 1.1, "two hosts behind an uplink of 40 Mbit/s"


def test_a_link_loses_as_many_packets_as_it_is_told() -> None:
    layout = Layout(PREFIX, "10.213.254", 2, Link(1_000_000_000))
    with built(layout):
        assert talk(layout, 0, 1, (COUNT, SCATTER), 10_000) == 10_000
        network.shape(layout, 1, Link(1_000_000_000, loss=0.2))
        assert 7_700 < talk(layout, 0, 1, (COUNT, SCATTER), 10_000) < 8_300
        network.shape(layout, 1, Link(1_000_000_000))
        assert talk(layout, 0, 1, (COUNT, SCATTER), 10_000) == 10_000


def sent_bytes(hosts: Hosts, number: int) -> int:
    command = hosts.layout().inside(number, ["cat", f"/sys/class/net/{network.DEVICE}/statistics/tx_bytes"])
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def inside_agent(hosts: Hosts, name: str, *command: str) -> str:
    """Return what a command prints in the namespaces of a host's agent."""
    state = hosts.state
    assert state is not None
    enter = ("nsenter", "--target", str(state.agents[name]), "--mount", "--uts", "--ipc", "--net")
    return subprocess.run([*enter, *command], capture_output=True, text=True, check=True).stdout.strip()


def test_ranks_on_hosts_share_nothing_but_the_links(data_dir: Path) -> None:
    lab, hosts = Lab(data_dir), Hosts(data_dir)
    with running(lab.start("server", "--port", "0")):
        assert lab.url
        up = lab.run("lab", "up", "--hosts", "3", "--rate", "200mbit", "--racks", "3", "--slots", "2")
        assert up.returncode == 0, up.stderr
        assert up.stdout.startswith("3 hosts are ready after ")
        try:
            rows = json.loads(lab.run("lab", "status", "--json").stdout)
            assert [(row["host"], row["rack"], row["link"], row["agent"], row["node"]) for row in rows] == [
                (f"h{number}", f"rack{number}", "200 Mbit/s", "runs", "ready") for number in (1, 2, 3)
            ]
            assert [inside_agent(hosts, name, "hostname") for name in ("h1", "h2")] == ["h1", "h2"]
            inside_agent(hosts, "h1", "touch", "/dev/shm/mine")
            assert inside_agent(hosts, "h1", "ls", "/dev/shm") == "mine"
            assert inside_agent(hosts, "h2", "ls", "/dev/shm") == ""
            before = [sent_bytes(hosts, number) for number in range(3)]
            size = ("-b", str(LONG_BYTES), "-e", str(LONG_BYTES))
            sweep = (*size, "-n", "1", "-w", "0", "-c", "1", "--algorithm", "ring,mpi,hierarchical")
            done = lab.run("submit", "--wait", "--json", "--ranks", "6", "--ranks-per-node", "2", *sweep)
            assert done.returncode == 0, done.stderr
            moved = [sent_bytes(hosts, number) - sent for number, sent in enumerate(before)]
            # Ring: the last rank of a host sends to the next host 2(p-1)/p of every message.
            ring_bytes = 2 * 5 / 6 * LONG_BYTES * 2
            assert all(sent > ring_bytes for sent in moved), moved
        finally:
            down = lab.run("lab", "down")
        assert down.stdout == "The lab is down.\n"
        assert observed(lab) == {}, "its nodes have left"
        assert_nothing_left(lab, hosts)


def test_a_gang_spans_32_hosts(data_dir: Path) -> None:
    lab = Lab(data_dir)
    with running(lab.start("server", "--port", "0")):
        assert lab.url
        up = lab.run("lab", "up", "--hosts", "32", "--slots", "1")
        assert up.returncode == 0, up.stderr
        try:
            submit = ("submit", "--json", "--ranks", "32", "--ranks-per-node", "1", "--algorithm", "ring")
            done = lab.run(*submit, "-b", "1M", "-e", "1M", "-n", "1", "-w", "0")
            job_id = json.loads(done.stdout)["id"]
            # 32 programs start, meet and end on the cores of one machine.
            eventually(lambda: lab.job(job_id).is_finished, "the end of the job", 4 * DEADLINE_SECONDS)
            assert (lab.job(job_id).state, lab.job(job_id).message) == ("succeeded", "")
        finally:
            lab.run("lab", "down")


def test_a_cut_host_is_lost_and_a_healed_one_is_back(data_dir: Path) -> None:
    lab, hosts = Lab(data_dir), Hosts(data_dir)
    with running(lab.start("server", "--port", "0")):
        assert lab.url
        assert lab.run("lab", "up", "--hosts", "2").returncode == 0
        try:
            assert "already" in lab.run("lab", "up").stderr
            assert lab.run("lab", "degrade", "h1", "--rate", "10mbit", "--loss", "1%").stdout == (
                "Host h1: 10 Mbit/s, 1% of the packets lost\n"
            )
            assert lab.run("lab", "cut", "h2").stdout == "Host h2: cut\n"
            os.kill(agent_of(hosts, "h1"), signal.SIGKILL)
            eventually(lambda: observed(lab) == {"h1": "lost", "h2": "lost"}, "the loss of both nodes")
            assert [lab.run("lab", "heal", host).returncode for host in ("h1", "h2")] == [0, 0]
            eventually(lambda: observed(lab) == {"h1": "ready", "h2": "ready"}, "the return of both nodes")
            assert hosts.link("h1") == Link(1_000_000_000)
        finally:
            lab.run("lab", "down")
        assert_nothing_left(lab, hosts)


def test_down_finds_what_a_crash_left(data_dir: Path) -> None:
    lab, hosts = Lab(data_dir), Hosts(data_dir)
    with running(lab.start("server", "--port", "0")):
        assert lab.url
        up = lab.start("lab", "up", "--hosts", "6")
        eventually(lambda: hosts.state is not None and len(hosts.state.agents) >= 2, "some agents of six")
        up.kill()
        up.communicate()
        (data_dir / "lab" / "lab.json").unlink()
        assert lab.run("lab", "down").stdout == "The lab is down.\n"
        assert_nothing_left(lab, hosts)


def agent_of(hosts: Hosts, name: str) -> int:
    assert hosts.state is not None
    return hosts.state.agents[name]


def observed(lab: Lab) -> dict[str, str]:
    with lab.client() as client:
        return {node.name: node.observed for node in client.nodes()}


def assert_nothing_left(lab: Lab, hosts: Hosts) -> None:
    assert network.namespaces(hosts.prefix) == []
    assert not (lab.data_dir / "lab").exists()
    gateway = hosts.prefix.removesuffix("-")
    assert gateway not in {name for _, name in socket.if_nameindex()}

    def others() -> list[psutil.Process]:
        server = lab.processes("ringscope_server")
        return [process for process in lab.processes() if process not in server]

    # The relay ends by itself once its gateway is gone.
    eventually(lambda: others() == [] and not relays(gateway), "the end of every process of the lab")


def relays(gateway: str) -> list[int]:
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if "ringscope.lab.relay" in words and gateway in words:
            found.append(process.pid)
    return found
