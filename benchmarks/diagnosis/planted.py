"""Faults on the hosts of a lab and the links between them, each a context that removes it again."""

import contextlib
import ipaddress
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from ringscope.lab.lab import Lab
from ringscope.lab.network import DEVICE, shape

_NO_CARD = "02:00:00:00:ff:ff"  # no card has this address
_BURST, _QUEUE = "131072b", "8388608b"
_LOOK_SECONDS = 0.2
_RUNS_SECONDS, _STOPS_SECONDS = 0.02, 0.08
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
def busy_core(lab: Lab, host: str) -> Iterator[None]:
    """Let the rank on a host run a fifth of the time, as on a core that other processes use."""

    def turn(end: threading.Event) -> None:
        while not end.wait(_RUNS_SECONDS):
            _signalled(lab, host, signal.SIGSTOP)
            end.wait(_STOPS_SECONDS)
            _signalled(lab, host, signal.SIGCONT)

    with _beside(turn):
        yield


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
    found = False
    for pid in lab.processes(host):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
            if _RANK in words:
                os.kill(pid, number)
                found = True
    return found


def _card(namespace: str, address: str) -> str:
    told = subprocess.run(
        ["ip", "-n", namespace, "-j", "neigh", "show", "to", address], capture_output=True, check=True
    )
    return str(json.loads(told.stdout)[0]["lladdr"])


def _number(lab: Lab, host: str) -> int:
    return [each.name for each in lab.hosts].index(host)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
