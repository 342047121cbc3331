"""A log as communicators with their rings, trees, heads and edges, and nodes with their cards and settings. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ringscope.imports.lines import complete_lines, decode
from ringscope.nccl_log import lines as told
from ringscope.nccl_log.lines import Edge, Ring, Tree, Where


@dataclass
class Node:
    """A node as its processes describe it; ``cards`` is None if no line says which there are.

    Without the library of InfiniBand and RoCE, which ``lacks_verbs`` means, NCCL finds no cards.
    """

    cards: dict[int, str] | None = None
    lacks_verbs: bool = False
    networks: list[str] = field(default_factory=list)
    interfaces: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)


@dataclass
class Communicator:
    """A communicator; ``size`` is its number of ranks, None if no line says it. ``hosts`` are those of known ranks."""

    id: str | None
    size: int | None = None
    hosts: dict[int, str] = field(default_factory=dict)
    devices: dict[int, int] = field(default_factory=dict)
    channels: int | None = None
    rings: dict[int, tuple[int, ...]] = field(default_factory=dict)
    trees: dict[int, dict[int, Tree]] = field(default_factory=dict)
    edges: dict[tuple[int, int, int], set[str]] = field(default_factory=dict)
    cards: dict[str, set[str]] = field(default_factory=dict)
    heads: dict[int, int] = field(default_factory=dict)
    nvls_heads: int | None = None
    nvls_channels: int | None = None
    speakers: set[int] = field(default_factory=set)
    finished: set[int] = field(default_factory=set)

    @property
    def is_closed(self) -> bool:
        """Return whether every printed ring visits each rank once."""
        return bool(self.rings) and all(sorted(order) == list(range(self.size or 0)) for order in self.rings.values())

    @property
    def is_complete(self) -> bool:
        """Return whether all rings are printed, with all their edges, and every rank has reported its end."""
        if not self.is_closed or self.channels is None or len(self.rings) < self.channels:
            return False
        if len(self.finished) != self.size:
            return False
        pairs = ((channel, order[i - 1], order[i]) for channel, order in self.rings.items() for i in range(len(order)))
        return all(pair in self.edges for pair in pairs)


@dataclass
class Log:
    """The communicators of a log, the largest first, its nodes, the versions and the warnings."""

    communicators: list[Communicator] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    versions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    lines: int = 0


@dataclass
class _Segment:
    """The lines of one thread about one communicator."""

    where: Where
    id: str | None = None
    size: int | None = None
    rank: int | None = None
    is_done: bool = False
    facts: list[object] = field(default_factory=list)


def sniff(text: str) -> bool:
    """Return whether a text has lines of NCCL_DEBUG=INFO."""
    return "NCCL INFO " in text or "NCCL WARN " in text


def has_paths(text: str) -> bool:
    """Return whether lines of a text are about rings, trees, their edges or the network that was chosen."""
    return any(f"NCCL INFO {words} " in text for words in ("Channel", "Ring", "Trees", "Using network"))


def read(contents: Iterable[bytes]) -> Log:
    """Return what the files of one job say; NotTextError for a binary file. Nothing in a text raises an error."""
    log = Log()
    segments: list[_Segment] = []
    for content in contents:
        current: dict[tuple[str, int, int], _Segment] = {}
        whole, _ = complete_lines(decode(content))  # the last line may be cut within a number
        for line in whole:
            if "NCCL" not in line:
                continue
            version = told.version_of(line)
            if version and version not in log.versions:
                log.versions.append(version)
            if parsed := told.parse(line):
                log.lines += 1
                _take(log, segments, current, *parsed)
    log.communicators = sorted(_joined(segments), key=lambda one: (-(one.size or 0), -len(one.edges)))
    return log


def _take(
    log: Log,
    segments: list[_Segment],
    current: dict[tuple[str, int, int], _Segment],
    where: Where,
    facts: Iterable[object],
) -> None:
    node = log.nodes.setdefault(where.host, Node())
    for fact in facts:
        if isinstance(fact, told.Warned):
            log.warnings.append(fact.text)
        elif isinstance(fact, told.Cards):
            node.cards = {**(node.cards or {}), **fact.names}
        elif isinstance(fact, told.NoVerbs):
            node.lacks_verbs = True
        elif isinstance(fact, told.Setting):
            node.settings[fact.name] = fact.value
        elif isinstance(fact, told.Network):
            _add(node.networks, fact.name)
        elif isinstance(fact, told.Interface):
            _add(node.interfaces, fact.name)
        else:
            key = (where.host, where.pid, where.tid)
            segment = current.get(key)
            if segment is None or _begins(segment, fact):
                segment = current[key] = _Segment(where)
                segments.append(segment)
            _fill(segment, fact)


def _begins(segment: _Segment, fact: object) -> bool:
    """Return whether a line is of the next communicator of its thread; edges are also connected after the start."""
    if isinstance(fact, told.Init) and fact.state == "START":
        return bool(segment.facts) or segment.id is not None or segment.is_done
    return segment.is_done and isinstance(fact, Ring | Tree | told.Head)


def _fill(segment: _Segment, fact: object) -> None:
    if isinstance(fact, told.Init):
        segment.id, segment.size, segment.rank = fact.comm or segment.id, fact.ranks, fact.rank
        segment.is_done = fact.state == "COMPLETE"
        return
    if isinstance(fact, Edge) and fact.ranks and segment.size is None:
        segment.size = fact.ranks
    if isinstance(fact, Ring):
        segment.size = segment.size or len(fact.order)
    segment.facts.append(fact)


def _joined(segments: list[_Segment]) -> list[Communicator]:
    """Return the communicators: by their id, else by their size; lines that say neither belong to the only one."""
    by_size: dict[int | None, set[str]] = {}
    for segment in segments:
        if segment.id:
            by_size.setdefault(segment.size, set()).add(segment.id)
    found: dict[object, Communicator] = {}
    unknown = []
    for segment in segments:
        known = by_size.get(segment.size, set())
        name = segment.id or (next(iter(known)) if len(known) == 1 else None)
        if name is None and segment.size is None:
            unknown.append(segment)
        else:
            one = found.setdefault(name or segment.size, Communicator(name, segment.size))
            _merge(one, segment)
    if unknown:
        rest = next(iter(found.values())) if len(found) == 1 else found.setdefault(None, Communicator(None))
        for segment in unknown:
            _merge(rest, segment)
    return [one for one in found.values() if one.edges or one.rings or one.trees or one.hosts]


def _merge(one: Communicator, segment: _Segment) -> None:
    host = segment.where.host
    if segment.rank is not None:
        _place(one, segment.rank, segment.where)
        if segment.is_done:
            one.finished.add(segment.rank)
    for fact in segment.facts:
        if isinstance(fact, Ring):
            one.rings[fact.channel] = fact.order
            one.channels = max(one.channels or 0, fact.channels or 0) or None
        elif isinstance(fact, Tree):
            one.trees.setdefault(fact.channel, {})[fact.rank] = fact
            _place(one, fact.rank, segment.where)
        elif isinstance(fact, told.Channels):
            one.channels = one.channels or fact.count
            one.nvls_channels = fact.nvls if one.nvls_channels is None else one.nvls_channels
        elif isinstance(fact, told.Head):
            one.nvls_heads = fact.heads
            if segment.rank is not None:
                one.heads[segment.rank] = fact.head
        elif isinstance(fact, Edge):
            one.edges.setdefault((fact.channel, fact.source, fact.target), set()).add(fact.transport)
            one.cards.setdefault(host, set()).add(fact.transport)
            _place(one, fact.target if fact.end == "receive" else fact.source, segment.where)


def _place(one: Communicator, rank: int, where: Where) -> None:
    one.speakers.add(rank)
    one.hosts.setdefault(rank, where.host)
    one.devices.setdefault(rank, where.device)


def _add(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)
