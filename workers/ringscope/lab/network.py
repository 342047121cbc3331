"""Several hosts on one machine: network namespaces joined by switches, every link shaped by ``tc``.

Everything is in namespaces whose names share a prefix. Outside of them only the gateway is created, a device through
which this machine reaches the hosts and they reach its server. The prefix is therefore enough to find what a killed run
left behind.

host h1 eth0 ─── port1 ┐                      One rack: all ports are on the spine. Several: each rack has a switch
    host h2 eth0 ─── port2 ┴ rack1 ═══ spine      of its own, whose uplink (═) is slower than its hosts together by the
    host h3 eth0 ─── port3 ─ rack2 ═══ spine      oversubscription.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from ringscope.contracts.errors import UserError

DEVICE = "eth0"
# payload of an Ethernet frame at MTU 1500: without the headers of Ethernet, IP and TCP (timestamps)
PAYLOAD_SHARE = 1448 / 1514
MAX_HOSTS = 200
_GATEWAY_NUMBER = 254
_SPINE = "spine"
_SWITCH = "switch"
_GATEWAY = "gateway"
# Burst of the token bucket: small compared with a message, but larger than the 64 KiB that TCP sends at once; with
# less, the kernel splits them and the link reaches a third of its rate.
_BURST_BYTES = 128 << 10
_QUEUE_BYTES = 8 << 20  # no packet is dropped for lack of queue space: TCP's windows together are smaller
_QUEUE_PACKETS = 10_000
_WHOLE_SEGMENTS = 65_535
# By default the machine's own algorithm would be inherited. With bbr, which probes and drains, the ring loses 10 to 20
# % of such a link; cubic cannot be chosen in a namespace if the machine does not use it. reno is always available.
_CONGESTION_CONTROL = "reno"
_CONGESTION_CONTROL_FILE = "/proc/sys/net/ipv4/tcp_congestion_control"
_BPF_RANDOM = 0xFFFFF000 + 56  # SKF_AD_OFF + SKF_AD_RANDOM of linux/filter.h
_END_SECONDS = 5.0
_SUBNETS = 256  # subnets of 10.213.0.0/16


class NetworkError(UserError):
    """The reason why such a network is impossible here, in one line."""


@dataclass(frozen=True, slots=True)
class Link:
    """A full-duplex link; delay and loss count each time that a packet enters it, in either direction."""

    rate_bit_per_s: int
    delay_us: float = 0.0
    loss: float = 0.0  # share of the packets, 0 to 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Description of the networks to build.

    Args:
        prefix: the prefix of the names of all namespaces; ends with a hyphen.
        subnet: the first three numbers of the addresses; host k is number k of it.
        gateway: name of the device that joins this machine to the hosts; None keeps them apart.
    """

    prefix: str
    subnet: str
    hosts: int
    link: Link
    racks: int = 1
    oversubscription: float = 1.0
    gateway: str | None = None
    addresses: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        addresses = tuple(f"{self.subnet}.{number + 1}" for number in range(self.hosts))
        object.__setattr__(self, "addresses", addresses)

    @property
    def gateway_address(self) -> str:
        """Return the address of this machine as the hosts reach it."""
        return f"{self.subnet}.{_GATEWAY_NUMBER}"

    @property
    def switch(self) -> str:
        """The namespace of all switches."""
        return f"{self.prefix}{_SWITCH}"

    def host(self, number: int) -> str:
        """Return the namespace of a host; hosts count from 0."""
        return f"{self.prefix}h{number + 1}"

    def rack(self, number: int) -> int:
        """Return the rack of a host, from 0; hosts are spread over racks as evenly as possible."""
        return number * self.racks // self.hosts

    def rack_name(self, number: int) -> str:
        """The name of a host's rack."""
        return f"rack{self.rack(number) + 1}"

    @property
    def payload_bytes_per_s(self) -> float:
        """Bytes per second that TCP can carry over one host's link in one direction."""
        return self.link.rate_bit_per_s / 8 * PAYLOAD_SHARE

    def inside(self, number: int, command: Sequence[str]) -> list[str]:
        """The command that runs ``command`` on a host's network."""
        return ["ip", "netns", "exec", self.host(number), *command]


def build(layout: Layout) -> None:
    """Create everything; after a failure remove what was created, and raise a NetworkError."""
    require_network()
    try:
        _build_switches(layout)
        for number in range(layout.hosts):
            _build_host(layout, number)
        if layout.gateway is not None:
            _build_gateway(layout, layout.gateway)
    except BaseException:
        remove(layout.prefix)
        raise


def shape(layout: Layout, number: int, link: Link) -> None:
    """Change the shape of a host's existing link in both directions."""
    _shape(layout.host(number), DEVICE, link)
    _shape(layout.switch, _port(number), link)


def cut(layout: Layout, number: int, *, is_cut: bool = True) -> None:
    """Disconnect a host from its switch, or reconnect it."""
    _run("ip", "-n", layout.switch, "link", "set", _port(number), "down" if is_cut else "up")


def remove(prefix: str) -> int:
    """End all processes in the namespaces of this prefix, then remove them; return their number.

    Their links, switches and the gateway disappear with them.
    """
    found = namespaces(prefix)
    deadline = time.monotonic() + _END_SECONDS
    # A killed process may have forked just before.
    while (running := [pid for name in found for pid in processes(name)]) and time.monotonic() < deadline:
        for pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    # A namespace is destroyed some time after its deletion, but the gateway's name must be free at once.
    subprocess.run(["ip", "-n", f"{prefix}{_SWITCH}", "link", "delete", _GATEWAY], capture_output=True, check=False)
    for name in found:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
    return len(found)


def namespaces(prefix: str) -> list[str]:
    """Names of the namespaces of this prefix."""
    names = (line.split()[0] for line in _run("ip", "netns", "list").splitlines() if line.strip())
    return [name for name in names if name.startswith(prefix)]


def processes(namespace: str) -> list[int]:
    """Return the processes in a namespace; none if there is no such namespace."""
    inside = subprocess.run(["ip", "netns", "pids", namespace], capture_output=True, text=True, check=False)
    return [int(pid) for pid in inside.stdout.split()]


def require_network() -> None:
    """Raise NetworkError if namespaces and shaped links cannot be created here."""
    if os.geteuid() != 0:
        raise NetworkError("Shaped links need root (network namespaces); run them with sudo.")
    missing = [name for name in ("ip", "tc") if shutil.which(name) is None]
    if missing:
        raise NetworkError(f"Shaped links need {' and '.join(missing)}; on Debian: apt-get install iproute2.")


def require_delays() -> None:
    """Raise NetworkError if this kernel cannot delay packets.

    The check runs in an unnamed network namespace, which disappears as soon as ``tc`` has ended.
    """
    try:
        _run("unshare", "--net", "tc", "qdisc", "replace", "dev", "lo", "root", "netem", "delay", "1us")
    except NetworkError as error:
        said = " ".join(str(error).rpartition("Error: ")[2].split())
        raise NetworkError(
            f"--delay: links cannot be delayed here, which takes the kernel's netem ({said}); get its module sch_netem "
            "(Ubuntu: linux-modules-extra, Fedora and RHEL: kernel-modules-extra), or leave --delay out."
        ) from None


def free_subnet(prefix: str) -> str:
    """Return a subnet to which this machine has no route.

    Networks that are built at the same moment do not see each other's routes yet, so the search begins at a different
    subnet for each prefix.
    """
    routes = _run("ip", "-4", "route", "show", "table", "all")
    first = zlib.crc32(prefix.encode()) % _SUBNETS
    for place in range(_SUBNETS):
        number = (first + place) % _SUBNETS
        if f"10.213.{number}." not in routes:
            return f"10.213.{number}"
    raise NetworkError("All of 10.213.0.0/16 is in use on this machine; take down another lab first.")


def _build_switches(layout: Layout) -> None:
    _run("ip", "netns", "add", layout.switch)
    _add_switch(layout, _SPINE)
    if layout.racks == 1:
        return
    for rack in range(layout.racks):
        hosts = sum(layout.rack(number) == rack for number in range(layout.hosts))
        uplink = Link(round(layout.link.rate_bit_per_s * hosts / layout.oversubscription))
        name, up, down = f"rack{rack + 1}", f"up{rack + 1}", f"down{rack + 1}"
        _add_switch(layout, name)
        _run("ip", "-n", layout.switch, "link", "add", up, "type", "veth", "peer", "name", down)
        for device, switch in ((up, name), (down, _SPINE)):
            _run("ip", "-n", layout.switch, "link", "set", device, "master", switch, "up")
            _shape(layout.switch, device, uplink)


def _add_switch(layout: Layout, name: str) -> None:
    _run("ip", "-n", layout.switch, "link", "add", name, "type", "bridge")
    _run("ip", "-n", layout.switch, "link", "set", name, "up")


def _build_host(layout: Layout, number: int) -> None:
    host, port = layout.host(number), _port(number)
    _run("ip", "netns", "add", host)
    peer = ("peer", "name", DEVICE, "address", _hardware_address(number), "netns", host)
    _run("ip", "-n", layout.switch, "link", "add", port, "type", "veth", *peer)
    switch = _SPINE if layout.racks == 1 else layout.rack_name(number)
    _run("ip", "-n", layout.switch, "link", "set", port, "master", switch, "up")
    _run("ip", "-n", host, "address", "add", f"{layout.addresses[number]}/24", "dev", DEVICE)
    for device in ("lo", DEVICE):
        _run("ip", "-n", host, "link", "set", device, "up")
    _introduce(layout, number)
    _run("ip", "netns", "exec", host, "sh", "-c", f"echo {_CONGESTION_CONTROL} > {_CONGESTION_CONTROL_FILE}")
    shape(layout, number, layout.link)


def _introduce(layout: Layout, number: int) -> None:
    """Add the addresses of all other hosts to a host's table.

    Addresses that hosts resolve by ARP go into one table of the machine, usually with 1024 entries: too few for 32
    hosts that each communicate with all others. Permanent entries have no such limit.
    """
    others = [(address, other) for other, address in enumerate(layout.addresses) if other != number]
    lines = "".join(
        f"neigh replace {address} lladdr {_hardware_address(other)} dev {DEVICE} nud permanent\n"
        for address, other in others
    )
    _run("ip", "-n", layout.host(number), "-batch", "-", told=lines)


def _build_gateway(layout: Layout, device: str) -> None:
    _run("ip", "link", "add", device, "type", "veth", "peer", "name", _GATEWAY, "netns", layout.switch)
    _run("ip", "-n", layout.switch, "link", "set", _GATEWAY, "master", _SPINE, "up")
    _run("ip", "address", "add", f"{layout.gateway_address}/24", "dev", device)
    _run("ip", "link", "set", device, "up")


def _hardware_address(number: int) -> str:
    """The Ethernet address of a host; one for local use (02:...)."""
    return f"02:00:00:00:00:{number + 1:02x}"


def _port(number: int) -> str:
    """The switch's end of a host's link."""
    return f"port{number + 1}"


def _shape(namespace: str, device: str, link: Link) -> None:
    tc = ("tc", "-n", namespace)
    bucket = ("tbf", "rate", f"{link.rate_bit_per_s}bit", "burst", f"{_BURST_BYTES}b", "limit", f"{_QUEUE_BYTES}b")
    if not link.delay_us:
        _run(*tc, "qdisc", "replace", "dev", device, "root", "handle", "1:", *bucket)
    else:
        delay = ("netem", "delay", f"{link.delay_us:g}us", "limit", str(_QUEUE_PACKETS))
        _run(*tc, "qdisc", "replace", "dev", device, "root", "handle", "2:", *delay)
        _run(*tc, "qdisc", "replace", "dev", device, "parent", "2:1", "handle", "3:", *bucket)
    # One lost packet must not take along all others that the kernel handles as one segment (GSO). The segment is split
    # when it leaves a device, after the egress filters; so the filter is on the ingress side, at the link's other end.
    _run(
        "ip", "-n", namespace, "link", "set", "dev", device, "gso_max_segs", "1" if link.loss else str(_WHOLE_SEGMENTS)
    )
    _run(*tc, "qdisc", "replace", "dev", device, "clsact")
    dropping = ("bpf", "direct-action", "bytecode", _dropping(link.loss))
    _run(*tc, "filter", "replace", "dev", device, "ingress", "prio", "1", "handle", "1", *dropping)


def _dropping(loss: float) -> str:
    """Return a classic BPF program that drops a share of the packets at random; netem could do it, but fewer kernels
    have it.

    It draws a random 32-bit word; if the word is at least the bound, the packet passes (TC_ACT_OK), else it is dropped
    (TC_ACT_SHOT).
    """
    bound = min(round(loss * (1 << 32)), (1 << 32) - 1)
    return f"4,32 0 0 {_BPF_RANDOM},53 0 1 {bound},6 0 0 0,6 0 0 2"


def _run(*command: str, told: str = "") -> str:
    done = subprocess.run(command, input=told, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NetworkError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
