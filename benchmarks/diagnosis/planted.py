"""Faults on the hosts of a lab and the links between them, each a context that removes it again."""

import contextlib
import ipaddress
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ringscope.lab.lab import Lab
from ringscope.lab.network import DEVICE, Layout, shape

_NO_CARD = "02:00:00:00:ff:ff"  # no card has this address
_BURST, _QUEUE = "131072b", "8388608b"
_LOOK_SECONDS = 0.2
_GROUPS, _PERIOD_US = Path("/sys/fs/cgroup/cpu"), 100_000
_RANK = "ringscope.rank"


@contextlib.contextmanager
def degraded(lab: Lab, host: str, rate_bit_per_s: int, loss: float | None = None) -> Iterator[None]:
    """Give a host's link another rate in both directions, or let it lose packets."""
    lab.degrade(host, rate_bit_per_s, None, loss)
    try:
        yield
    finally:
        lab.heal(host)


@contextlib.contextmanager
def sends_slowly(lab: Lab, host: str, rate_bit_per_s: int) -> Iterator[None]:
    """Give what a host sends another rate, and not what it receives."""
    layout, number = lab.layout(), _number(lab, host)
    bucket = ["tbf", "rate", f"{rate_bit_per_s}bit", "burst", _BURST, "limit", _QUEUE]
    _run("tc", "-n", layout.host(number), "qdisc", "replace", "dev", DEVICE, "root", "handle", "1:", *bucket)
    try:
        yield
    finally:
        shape(layout, number, layout.link)


@contextlib.contextmanager
def slow_one_way(lab: Lab, source: str, destination: str, rate_bit_per_s: int) -> Iterator[None]:
    """Give what one host sends to another one a rate of its own."""
    layout, number = lab.layout(), _number(lab, source)
    address = int(ipaddress.ip_address(layout.addresses[_number(lab, destination)]))
    tc = ["tc", "-n", layout.host(number)]
    # A classic BPF program that takes the packets to this address: the word at byte 30 of the Ethernet frame.
    program = f"4,32 0 0 30,21 0 1 {address},6 0 0 4294967295,6 0 0 0"
    _run(*tc, "qdisc", "del", "dev", DEVICE, "root")
    _run(*tc, "qdisc", "add", "dev", DEVICE, "root", "handle", "1:", "htb", "default", "10")
    for name, rate in (("1:10", layout.link.rate_bit_per_s), ("1:20", rate_bit_per_s)):
        bucket = ["htb", "rate", f"{rate}bit", "burst", _BURST]
        _run(*tc, "class", "add", "dev", DEVICE, "parent", "1:", "classid", name, *bucket)
    _run(*tc, "filter", "add", "dev", DEVICE, "parent", "1:", "bpf", "bytecode", program, "flowid", "1:20")
    try:
        yield
    finally:
        _run(*tc, "qdisc", "del", "dev", DEVICE, "root")  # another kind of qdisc cannot replace it
        shape(layout, number, layout.link)


@contextlib.contextmanager
def cut_link(lab: Lab, one: str, other: str) -> Iterator[None]:
    """Let two hosts send to each other's address, but to a card that does not exist."""
    layout = lab.layout()
    kept: list[tuple[list[str], str, str]] = []
    for here, there in ((one, other), (other, one)):
        neighbours = ["ip", "-n", layout.host(_number(lab, here)), "neigh", "replace"]
        address = layout.addresses[_number(lab, there)]
        kept.append((neighbours, address, _card(layout.host(_number(lab, here)), address)))
        _run(*neighbours, address, "dev", DEVICE, "lladdr", _NO_CARD, "nud", "permanent")
    try:
        yield
    finally:
        for neighbours, address, card in kept:
            _run(*neighbours, address, "dev", DEVICE, "lladdr", card, "nud", "permanent")


@contextlib.contextmanager
def stopped_rank(lab: Lab, host: str, may_stop: Callable[[], bool]) -> Iterator[None]:
    """Stop the rank on a host once ``may_stop``; the end of the job ends it."""

    def turn(end: threading.Event) -> None:
        while not end.wait(_LOOK_SECONDS):
            if may_stop() and _signalled(lab, host, signal.SIGSTOP):
                return

    with _beside(turn):
        yield


@contextlib.contextmanager
def busy_core(lab: Lab, host: str, share: float, may_begin: Callable[[], bool]) -> Iterator[None]:
    """Let the rank on a host have this share of a core's time once ``may_begin``, as if other processes had the rest.

    The kernel lets it run so long in each tenth of a second: a group of processes with a quota (cgroup, version 1).
    """
    group = _GROUPS / f"{lab.prefix}{host}"
    group.mkdir()
    (group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
    (group / "cpu.cfs_quota_us").write_text(str(round(share * _PERIOD_US)))

    def turn(end: threading.Event) -> None:
        while not end.wait(_LOOK_SECONDS):
            if may_begin():
                _join(group, _ranks(lab, host))

    try:
        with _beside(turn):
            yield
    finally:
        _join(group.parent, [int(pid) for pid in (group / "cgroup.procs").read_text().split()])
        group.rmdir()


@contextlib.contextmanager
def slow_uplink(lab: Lab, rack: int, factor: float) -> Iterator[None]:
    """Give the uplink of a rack, counted from 0, this share of its rate in both directions."""
    layout = lab.layout()
    hosts = sum(layout.rack(number) == rack for number in range(layout.hosts))
    rate = layout.link.rate_bit_per_s * hosts / layout.oversubscription
    _shape_uplink(layout, rack, rate * factor)
    try:
        yield
    finally:
        _shape_uplink(layout, rack, rate)


@contextlib.contextmanager
def slow_at_times(lab: Lab, host: str, rate_bit_per_s: int, seconds: float) -> Iterator[None]:
    """Change the rate of a host's link every few seconds, and back."""

    def turn(end: threading.Event) -> None:
        while not end.wait(seconds):
            lab.degrade(host, rate_bit_per_s, None, None)
            end.wait(seconds)
            lab.heal(host)

    with _beside(turn):
        yield


@contextlib.contextmanager
def _beside(turn: Callable[[threading.Event], None]) -> Iterator[None]:
    end = threading.Event()
    thread = threading.Thread(target=turn, args=(end,))
    thread.start()
    try:
        yield
    finally:
        end.set()
        thread.join()


def _signalled(lab: Lab, host: str, number: signal.Signals) -> bool:
    """Send a signal to the ranks on a host; return whether there is one."""
    pids = _ranks(lab, host)
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return bool(pids)


def _ranks(lab: Lab, host: str) -> list[int]:
    found = []
    for pid in lab.processes(host):
        with contextlib.suppress(OSError):
            if _RANK in Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0"):
                found.append(pid)
    return found


def _join(group: Path, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            (group / "cgroup.procs").write_text(str(pid))


def _shape_uplink(layout: Layout, rack: int, rate_bit_per_s: float) -> None:
    bucket = ["tbf", "rate", f"{round(rate_bit_per_s)}bit", "burst", _BURST, "limit", _QUEUE]
    for device in (f"up{rack + 1}", f"down{rack + 1}"):
        _run("tc", "-n", layout.switch, "qdisc", "replace", "dev", device, "root", "handle", "1:", *bucket)


def _card(namespace: str, address: str) -> str:
    told = subprocess.run(
        ["ip", "-n", namespace, "-j", "neigh", "show", "to", address], capture_output=True, check=True
    )
    return str(json.loads(told.stdout)[0]["lladdr"])


def _number(lab: Lab, host: str) -> int:
    return [each.name for each in lab.hosts].index(host)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
