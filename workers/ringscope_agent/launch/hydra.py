"""Parsing of the output of MPICH's Hydra (pure: text in, values out).

Observed with MPICH 5.0.2, ``mpiexec -launcher manual -prepend-pattern … -print-all-exitcodes``.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ringscope.contracts.protocol import GangMember, Proxy

LAUNCH_END = "HYDRA_LAUNCH_END"
MAX_LINE_BYTES = 8192

# Hydra puts the pattern before every line and before every *chunk* that it reads, and chunks of two ranks may share
# a line. Two control characters make the seams unmistakable, which "[0] " would not.
PREPEND_PATTERN = "\x1e%r\x1f"
_SEAM = re.compile(rb"\x1e([0-9]+)\x1f")

_LAUNCH_LINE = re.compile(r"^HYDRA_LAUNCH: .*--control-port (\S+):([0-9]+) .*--proxy-id ([0-9]+)\s*$")
# Hydra prints the codes of each node, on a line of its own from the second node on.
_EXIT_CODES_LINE = re.compile(r"(?:\[mpiexec@.*\] Exit codes: )?((?:\[[^\[\]]+\] [0-9]+(?:,[0-9]+)*\s*)+)")
_EXIT_CODES = re.compile(r"\[([^\[\]]+)\] ([0-9]+(?:,[0-9]+)*)")
_FAILED_PID = re.compile(r"^=\s+PID ([0-9]+) RUNNING AT (\S+)")
_EXIT_SIGNAL = re.compile(r"EXIT STRING: .*\(signal ([0-9]+)\)")


def parse_launch_line(line: str) -> Proxy | None:
    """Return the proxy that a ``HYDRA_LAUNCH:`` line asks for; None if it is another line."""
    found = _LAUNCH_LINE.match(line)
    if found is None:
        return None
    host, port, proxy_id = found.groups()
    return Proxy(control_host=host, control_port=int(port), proxy_id=int(proxy_id))


class Demultiplexer:
    """Splits one of mpiexec's output streams into whole lines of each rank; rank None is mpiexec itself.

    A carriage return restarts a line; only its last state becomes a line.
    """

    def __init__(self) -> None:
        self._speaker: int | None = None
        self._rest = b""
        self._lines: dict[int | None, bytes] = {}
        self._redrawn: set[int | None] = set()

    def feed(self, data: bytes) -> Iterator[tuple[int | None, str]]:
        """Return the lines as (rank, text) that ``data`` completes."""
        data = self._rest + data
        cut = data.rfind(b"\x1e")
        # A seam that is still being read ("\x1e12" without its end) waits for the next piece.
        self._rest = data[cut:] if cut >= 0 and b"\x1f" not in data[cut:] and len(data) - cut < 12 else b""
        parts = _SEAM.split(data[: len(data) - len(self._rest)])
        yield from self._take(parts[0])
        for rank, text in zip(parts[1::2], parts[2::2], strict=True):
            self._speaker = int(rank)
            yield from self._take(text)

    def redrawn(self) -> Iterator[tuple[int | None, str]]:
        """Return the newest state of each unfinished line that was redrawn since the last call."""
        for rank in sorted(self._redrawn, key=lambda rank: -1 if rank is None else rank):
            if text := _decode(_last_state(self._lines.get(rank, b""))):
                yield rank, text
        self._redrawn.clear()

    def close(self) -> Iterator[tuple[int | None, str]]:
        """Return what was left without a newline at the end of the stream."""
        yield from self._take(self._rest)
        self._rest = b""
        for rank, text in self._lines.items():
            if text.strip():
                yield rank, _decode(_last_state(text))
        self._lines.clear()
        self._redrawn.clear()

    def _take(self, data: bytes) -> Iterator[tuple[int | None, str]]:
        while data:
            head, newline, data = data.partition(b"\n")
            line = self._lines.pop(self._speaker, b"") + head
            if b"\r" in line:
                line = _last_state(line)
            if not newline and len(line) < MAX_LINE_BYTES:
                self._lines[self._speaker] = line
                if b"\r" in line:
                    self._redrawn.add(self._speaker)
                continue
            self._redrawn.discard(self._speaker)
            if line.strip():
                yield self._speaker, _decode(line)
            if newline:
                # Every line of a rank has a mark; what follows without one is Hydra's own.
                self._speaker = None


@dataclass(frozen=True)
class RankEnd:
    """The failure of one rank: an exit code, or minus the signal that killed it."""

    rank: int
    exit_code: int


def host_names(gang: Sequence[GangMember]) -> list[str]:
    """Return Hydra's names of the members: their addresses, with a number appended if several members share one.

    Hydra treats equal names as one host and starts one proxy there. It resolves none of them, because the agents start
    the proxies; so two agents of one machine may both have its address.
    """
    addresses = [member.address for member in gang]
    return [
        address if addresses.count(address) == 1 else f"{address}.{number}" for number, address in enumerate(addresses)
    ]


class ExitReport:
    """Collects from mpiexec's own lines which rank failed, and how."""

    def __init__(self, gang: Sequence[GangMember]) -> None:
        self._first_ranks: dict[str, int] = {}
        first_rank = 0
        for name, member in zip(host_names(gang), gang, strict=True):
            self._first_ranks[name] = first_rank
            first_rank += member.slots
        self.ends: list[RankEnd] = []
        self.failed_pid: int | None = None
        self.failed_address: str | None = None
        self.signal: int | None = None

    def read(self, line: str) -> None:
        """Take in one line of mpiexec's own (rank None)."""
        if found := _EXIT_CODES_LINE.fullmatch(line):
            for address, statuses in _EXIT_CODES.findall(found[1]):
                self._read_statuses(address, statuses)
        elif found := _FAILED_PID.match(line):
            self.failed_pid, self.failed_address = int(found[1]), found[2]
        elif found := _EXIT_SIGNAL.search(line):
            self.signal = int(found[1])

    def _read_statuses(self, address: str, statuses: str) -> None:
        first_rank = self._first_ranks.get(address)
        if first_rank is None:
            return
        for index, status in enumerate(statuses.split(",")):
            if int(status) != 0:
                # Hydra prints wait statuses, not exit codes: 768 is exit code 3, 9 is SIGKILL.
                self.ends.append(RankEnd(first_rank + index, os.waitstatus_to_exitcode(int(status))))


# With these lines Hydra reports any signal as a fault of the program, even one that the service sent.
_BANNER = re.compile(
    r"^(={20,}|=   (BAD TERMINATION|PID [0-9]+ RUNNING|EXIT CODE|CLEANING UP|YOU CAN IGNORE).*|"
    r"YOUR APPLICATION TERMINATED.*|This typically refers to a problem with your application.*|"
    r"Please see the FAQ page.*)$"
)
# A proxy prints these lines whenever a rank aborts the gang: its ranks have closed their connections already.
_PROXY = re.compile(
    r"^\[proxy:[0-9]+@.*: (assert \(!closed\) failed|callback returned error status|"
    r"demux engine error waiting for event)$"
)
# MPI prints it for a rank of ours that ends all ranks, behind the sentence that says why.
_ABORT = re.compile(r"^Abort\(1\) on node [0-9]+ .*: application called MPI_Abort\(MPI_COMM_WORLD, 1\)")


def is_banner(line: str) -> bool:
    """Return whether a line of mpiexec's own belongs to its message about a program that a signal has ended."""
    return _BANNER.match(line) is not None


def is_proxy_complaint(line: str) -> bool:
    """Return whether a proxy says with this line only that its ranks are gone."""
    return _PROXY.match(line) is not None


def is_abort(line: str) -> bool:
    """Return whether MPI says with this line that a rank has ended all ranks with exit code 1."""
    return _ABORT.match(line) is not None


def _last_state(line: bytes) -> bytes:
    """Return what a terminal would show of a line, with its carriage returns applied."""
    start = len(line.rstrip(b"\r\t "))
    return line[line.rfind(b"\r", 0, start) if b"\r" in line[:start] else 0 :]


def _decode(line: bytes) -> str:
    return line[:MAX_LINE_BYTES].decode("utf-8", "replace").strip("\r").partition("\r")[0]
