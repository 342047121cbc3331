"""Single lines of a log of NCCL_DEBUG=INFO, of versions 2.4 to 2.28, behind any prefix. Pure.

What is not recognized is ignored: every version prints lines that others do not.
"""

import re
from dataclasses import dataclass

_START = re.compile(
    r"(?:(?P<host><?[\w.\-]{1,255}>?):(?P<pid>[0-9]{1,10}):(?P<tid>[0-9]{1,10}) (?:\[(?P<device>-?[0-9]{1,4})\] )?"
    r"(?:\S{1,200}:[0-9]{1,6} )?|\b)R?NCCL (?P<level>INFO|WARN) (?P<text>.*)"
)
_VERSION = re.compile(r"\bR?NCCL version ([0-9]{1,3}\.[0-9]{1,3}(?:\.[0-9]{1,3})?\S{0,40})")
_RING = re.compile(r"(?:Channel|Ring) ([0-9]{1,4})(?:/([0-9]{1,4}))? :((?:\s+[0-9]{1,7})+)\s*$")
_EDGE = re.compile(
    r"(?:Channel|Ring) ([0-9]{1,4})(?:/-?[0-9]{1,4})? : "
    r"([0-9]{1,7})(?:\[[0-9a-f]{1,16}\])? -> ([0-9]{1,7})(?:\[[0-9a-f]{1,16}\])?"
    r"(?: \[(send|receive)\])? via (.+?)(?: comm 0x[0-9a-f]+ nRanks ([0-9]{1,7}))?\s*$"
)
_TREE = re.compile(
    r"\[([0-9]{1,4})\] (-?[0-9]{1,7}(?:/-?[0-9]{1,7}){0,3})->([0-9]{1,7})->"
    r"(-?[0-9]{1,7}(?:/-?[0-9]{1,7}){0,3})(?:\|\S{1,80})?(?=\s|$)"
)
_INIT = re.compile(
    r"comm 0x[0-9a-f]+ rank ([0-9]{1,7}) n[rR]anks ([0-9]{1,7})(?:.*? commId (0x[0-9a-f]+))?"
    r"(?:.*? - Init (START|COMPLETE)| nNodes)"
)
_NVLS = re.compile(r"NVLS comm 0x[0-9a-f]+ headRank (-?[0-9]{1,7}) nHeads ([0-9]{1,7})")
_CARDS = re.compile(r"NET/IB\s?: Using(.*)")
_CARD = re.compile(r"\[([0-9]{1,3})\]([\w.\-]{1,60}):([0-9]{1,3})/(\w{1,20})")
_NO_CARDS = re.compile(r"NET/IB\s?: No device found")
_NO_VERBS = "Failed to open libibverbs.so"
_SET = re.compile(r"((?:NCCL|RCCL)_[A-Z0-9_]{1,60}) set by environment to (.{1,200}?)\.?\s*$")
_NETWORK = re.compile(r"Using (?:internal )?network (\S.{0,60}?)\s*$", re.IGNORECASE)
_INTERFACE = re.compile(r"(?:Bootstrap|NET/Socket)\s?: Using (?:\[[0-9]{1,3}\])?([\w.\-]{1,60}):")
_COUNTS = re.compile(r"([0-9]{1,4}) coll channels(?:.*? ([0-9]{1,4}) nvls channels)?")


@dataclass(frozen=True)
class Where:
    """The thread that wrote a line; the host is empty if somebody cut the prefix off."""

    host: str
    pid: int
    tid: int
    device: int


@dataclass(frozen=True)
class Edge:
    """A connection of a channel; ``end`` is "send" or "receive" for a network's, whose ends write a line each."""

    channel: int
    source: int
    target: int
    end: str | None
    transport: str
    ranks: int | None


@dataclass(frozen=True)
class Ring:
    """The order of ranks in a channel's ring; ``channels`` is the number of channels that the line states."""

    channel: int
    channels: int | None
    order: tuple[int, ...]


@dataclass(frozen=True)
class Tree:
    """A rank's place in a channel's tree."""

    channel: int
    rank: int
    parent: int | None
    children: tuple[int, ...]


@dataclass(frozen=True)
class Init:
    """A rank of a communicator; ``comm`` identifies it in newer versions, ``state`` is START, COMPLETE or empty."""

    rank: int
    ranks: int
    comm: str | None
    state: str


@dataclass(frozen=True)
class Head:
    """A rank's place among the heads of NVLS."""

    head: int
    heads: int


@dataclass(frozen=True)
class Cards:
    """The InfiniBand and RoCE cards of a node by index; none if NCCL found none."""

    names: dict[int, str]


@dataclass(frozen=True)
class NoVerbs:
    """The library of InfiniBand and RoCE could not be opened."""


@dataclass(frozen=True)
class Setting:
    """A variable of the environment that NCCL uses."""

    name: str
    value: str


@dataclass(frozen=True)
class Network:
    """The network that NCCL chose."""

    name: str


@dataclass(frozen=True)
class Interface:
    """A network interface of the system that NCCL uses."""

    name: str


@dataclass(frozen=True)
class Channels:
    """The number of channels for collectives, and of those for NVLS; None if the line does not tell them."""

    count: int
    nvls: int | None = None


@dataclass(frozen=True)
class Connected:
    """All rings, or all trees, of a rank are connected."""

    what: str


@dataclass(frozen=True)
class Warned:
    """A warning."""

    text: str


Fact = Edge | Ring | Init | Head | Cards | NoVerbs | Setting | Network | Interface | Channels | Connected | Warned


def version_of(line: str) -> str | None:
    """Return the version that a line tells; the line may be without the prefix of other lines."""
    found = _VERSION.search(line)
    return found[1] if found else None


def parse(line: str) -> tuple[Where, list[Fact | Tree]] | None:
    """Return the writer of a line and what the line says; None for a line that is not NCCL's.

    Threads of older versions write into each other's lines. Only what follows the last prefix of a line is whole.
    """
    if "NCCL" not in line or (found := _START.search(line)) is None:
        return None
    while "NCCL " in found["text"] and (later := _START.search(line, found.start("text"))) is not None:
        found = later
    where = Where(found["host"] or "", int(found["pid"] or 0), int(found["tid"] or 0), int(found["device"] or -1))
    text = found["text"]
    if found["level"] == "WARN":
        return where, [Warned(text.strip()[:300]), *([NoVerbs()] if _NO_VERBS in text else [])]
    return where, _facts(text)


def _facts(text: str) -> list[Fact | Tree]:
    if text.startswith(("Channel ", "Ring ")):
        return _channel(text)
    if text.startswith("Trees "):
        return [_tree(*found.groups()) for found in _TREE.finditer(text)]
    if found := _INIT.search(text):
        return [Init(int(found[1]), int(found[2]), found[3], found[4] or "")]
    if found := _NVLS.search(text):
        return [Head(int(found[1]), int(found[2]))]
    if found := _SET.search(text):
        return [Setting(found[1], found[2])]
    if _NO_VERBS in text:
        return [NoVerbs()]
    if _NO_CARDS.search(text):
        return [Cards({})]
    if found := _CARDS.search(text):
        return [Cards({int(card[1]): f"{card[2]}:{card[3]}/{card[4]}" for card in _CARD.finditer(found[1])})]
    if found := _NETWORK.search(text):
        return [Network(found[1])]
    if found := _INTERFACE.search(text):
        return [Interface(found[1])]
    if found := _COUNTS.search(text):
        return [Channels(int(found[1]), int(found[2]) if found[2] else None)]
    if text.startswith("Connected all "):
        return [Connected("trees" if text.startswith("Connected all trees") else "rings")]
    return []


def _channel(text: str) -> list[Fact | Tree]:
    if found := _EDGE.match(text):
        ranks = int(found[6]) if found[6] else None
        return [Edge(int(found[1]), int(found[2]), int(found[3]), found[4], found[5].strip(), ranks)]
    if found := _RING.match(text):
        channels = int(found[2]) if found[2] else None
        return [Ring(int(found[1]), channels, tuple(int(rank) for rank in found[3].split()))]
    return []


def _tree(channel: str, first: str, rank: str, last: str) -> Tree:
    """Return a tree's place: the side with slashes has the children, which was the right one until 2.4."""
    below, above = (last, first) if "/" in last and "/" not in first else (first, last)
    children = tuple(int(one) for one in below.split("/") if int(one) >= 0)
    parent = int(above.split("/")[0])
    return Tree(int(channel), int(rank), parent if parent >= 0 else None, children)
