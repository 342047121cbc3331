"""Several hosts on one machine: network namespaces joined by a switch, every link shaped to a rate.

All of it lies in namespaces of its own, named ``rsbench-PID-…`` after the process that made them: nothing outside them
is touched, and what a killed run left behind is found by its dead process and removed by the next one.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

_PREFIX = "rsbench"
_OURS = re.compile(rf"^{_PREFIX}-(\d+)-\w+$")
_SUBNET = "10.213.77"
DEVICE = "eth0"
# What a token bucket lets pass at once: small beside a message, but larger than the 64 KiB that TCP hands over whole;
# below, the kernel cuts them up and the link reaches a third of its rate.
_BURST_BYTES = 128 << 10
_QUEUE_BYTES = 8 << 20  # no packet is dropped: TCP's windows together are smaller
PAYLOAD_SHARE = 1448 / 1514  # of an Ethernet frame at MTU 1500: less the headers of Ethernet, IP and TCP (timestamps)


class NetworkError(Exception):
    """Why there can be no such network here, in one line."""


class Network:
    """``hosts`` hosts behind one switch, each with a full-duplex link of ``rate_bit_per_s``; a context manager."""

    def __init__(self, hosts: int, rate_bit_per_s: int) -> None:
        self.addresses = tuple(f"{_SUBNET}.{number + 1}" for number in range(hosts))
        self.rate_bit_per_s = rate_bit_per_s
        self._switch = f"{_PREFIX}-{os.getpid()}-switch"
        self._hosts = tuple(f"{_PREFIX}-{os.getpid()}-host{number}" for number in range(hosts))

    @property
    def payload_bytes_per_s(self) -> float:
        """What TCP can carry over one link in one direction."""
        return self.rate_bit_per_s / 8 * PAYLOAD_SHARE

    def __enter__(self) -> "Network":
        require_network()
        remove_abandoned()
        try:
            self._build()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._remove()

    def inside(self, host: int, command: Sequence[str]) -> list[str]:
        """The command that runs ``command`` on a host."""
        return ["ip", "netns", "exec", self._hosts[host], *command]

    def _build(self) -> None:
        _run("ip", "netns", "add", self._switch)
        _run("ip", "-n", self._switch, "link", "add", "switch", "type", "bridge")
        _run("ip", "-n", self._switch, "link", "set", "switch", "up")
        for number, (host, address) in enumerate(zip(self._hosts, self.addresses, strict=True)):
            port = f"port{number}"
            _run("ip", "netns", "add", host)
            peer = ("peer", "name", DEVICE, "netns", host)
            _run("ip", "-n", self._switch, "link", "add", port, "type", "veth", *peer)
            _run("ip", "-n", self._switch, "link", "set", port, "master", "switch", "up")
            _run("ip", "-n", host, "address", "add", f"{address}/24", "dev", DEVICE)
            for device in ("lo", DEVICE):
                _run("ip", "-n", host, "link", "set", device, "up")
            self._shape(host, DEVICE)
            self._shape(self._switch, port)

    def _shape(self, namespace: str, device: str) -> None:
        bucket = ("rate", f"{self.rate_bit_per_s}bit", "burst", f"{_BURST_BYTES}b", "limit", f"{_QUEUE_BYTES}b")
        _run("tc", "-n", namespace, "qdisc", "add", "dev", device, "root", "tbf", *bucket)

    def _remove(self) -> None:
        for name in (*self._hosts, self._switch):
            _remove_namespace(name)


def require_network() -> None:
    """Raise NetworkError unless namespaces and shaped links can be made here."""
    if os.geteuid() != 0:
        raise NetworkError("Shaped links need root (network namespaces); run them with sudo.")
    missing = [name for name in ("ip", "tc") if shutil.which(name) is None]
    if missing:
        raise NetworkError(f"Shaped links need {' and '.join(missing)}; on Debian: apt-get install iproute2.")


def remove_abandoned() -> None:
    """Remove the networks of runs that are no more."""
    for line in _run("ip", "netns", "list").splitlines():
        name = line.split()[0]
        found = _OURS.match(name)
        if found and not Path("/proc", found[1]).exists():
            _remove_namespace(name)


def _remove_namespace(name: str) -> None:
    """End what still runs inside, then the namespace; its links end with it."""
    inside = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
    for pid in inside.stdout.split():
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            continue
    subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NetworkError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
