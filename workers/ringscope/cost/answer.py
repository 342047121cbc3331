"""The prices of one call as a sentence: which algorithm is fastest, by how much, and for what reason. Pure."""

from collections.abc import Sequence

from ringscope.contracts.words.topology import Topology
from ringscope.contracts.words.units import format_size
from ringscope.cost.effort import COLLECTS
from ringscope.cost.prices import Price, fastest

# Times within this factor count as equal; the model is not more exact.
_LEVEL = 1.01
# The algorithms that send everything through one rank, in the order in which they are compared with the fastest one.
_THROUGH_ONE = (COLLECTS, "parameter_server", "naive")
_EVEN = {"ring": "the ring", "ring_pipelined": "ring_pipelined", "direct": "direct"}
# In these collectives no rank receives more than the rank that sends most.
_BALANCED = ("all_reduce", "reduce_scatter", "all_gather", "alltoall")


def answer(
    priced: Sequence[Price], collective: str, size_bytes: int, topology: Topology, typed: str = "", servers: int = 1
) -> str:
    """Return the fastest price, a slower one, and the bytes or messages that explain the difference.

    N is the number of ranks and K the ``size_bytes`` on each of them. Sizes have the units of ``typed``, the size as a
    person wrote it. The reason is given on flat networks only, whose links carry all messages of one rank and no
    others; ``topology`` has the links that hold for these messages.
    """
    if topology.ranks < 2:
        return "A single rank has nothing to exchange."
    best = fastest(priced)
    if best is None:
        return f"{COLLECTS} only collects: one rank has the sum and the others do not."
    level = [price.algorithm for price in priced if price.is_whole and price.time_s <= best.time_s * _LEVEL]
    names = sorted(level, key=lambda name: name != best.algorithm)
    head = f"{_listed(names)} {'take' if len(names) > 1 else 'takes'} {_time(best)}"
    reasons = _Reasons(collective, size_bytes, topology, typed, servers)
    rival = _rival(priced, best)
    if rival is None:
        middle, why = "", reasons.alone(best)
    else:
        at_least = "at least " if best.is_bound else ""
        middle = f", {_of_rival(rival, _as_slow(priced, rival))}, {at_least}{_longer(rival.time_s / best.time_s)}"
        if not rival.is_whole and (there_and_back := _there_and_back(priced, servers)) is not None:
            ratio = _longer(there_and_back.time_s / best.time_s)
            middle += f", and {_time(there_and_back)} with the way back ({there_and_back.algorithm}), {at_least}{ratio}"
        why = reasons.between(best, rival)
    bounds = [price.algorithm for price in priced if price.is_bound and price is not best]
    doubt = f" Of {_listed(bounds)} only an upper bound is known." if bounds else ""
    return f"{head}{middle}{why}.{doubt}"


def _rival(priced: Sequence[Price], best: Price) -> Price | None:
    """Return the price to compare with: one that sends everything through one rank, else the slowest one."""
    slower = [price for price in priced if not price.is_bound and price.time_s > best.time_s * _LEVEL]
    through_one = [price for name in _THROUGH_ONE for price in slower if price.algorithm == name]
    whole = [price for price in slower if price.is_whole]
    return through_one[0] if through_one else max(whole, key=lambda price: price.time_s, default=None)


def _there_and_back(priced: Sequence[Price], servers: int) -> Price | None:
    """Return the price of collecting at one rank and of sending the sum back."""
    names = ("naive", "parameter_server") if servers == 1 else ("naive",)
    found = (price for name in names for price in priced if price.algorithm == name and not price.is_bound)
    return next(found, None)


class _Reasons:
    """The part of the sentence that explains a time by what the busiest link carries, or by the messages in a row."""

    def __init__(self, collective: str, size_bytes: int, topology: Topology, typed: str, servers: int) -> None:
        self._is_known = topology.is_flat and collective in _BALANCED
        self._size_bytes, self._ranks, self._link = size_bytes, topology.ranks, topology.inter
        self._typed, self._servers = typed, servers

    def alone(self, best: Price) -> str:
        """Return the bytes on each link, if they take most of the time."""
        on_path = self._path_bytes(best)
        if not self._is_known or on_path is None or on_path / self._link.bytes_per_s < best.time_s / 2:
            return ""
        return f": {self._carries(best, 'carries')}"

    def between(self, best: Price, rival: Price) -> str:
        """Return what explains at least half of the difference."""
        if not self._is_known:
            return ""
        half_s = (rival.time_s - best.time_s) / 2
        few, many = self._path_bytes(best), self._path_bytes(rival)
        if few is not None and many is not None and (many - few) / self._link.bytes_per_s >= half_s:
            return f": {self._carries(rival, 'carries')}, {self._carries(best, '')}"
        short, long = self._messages(best), self._messages(rival)
        if short is not None and long is not None and (long - short) * self._link.latency_s >= half_s:
            return f": {rival.algorithm} sends {long} messages one after another, {best.algorithm} {short}"
        return ""

    def _carries(self, price: Price, verb: str) -> str:
        """The busiest link of an algorithm with its bytes, also as a multiple of K."""
        name, link_bytes = price.algorithm, self._link_bytes(price) or 0
        is_one = name == "naive" or name == COLLECTS or (name == "parameter_server" and self._servers == 1)
        if name in _EVEN:
            subject = f"each link of {_EVEN[name]}"
        elif is_one:
            subject = "the root's link" if name == "naive" else "the server's link"
        else:
            subject = f"the busiest link of {name}"
        is_all = is_one and link_bytes == (self._ranks - 1) * self._size_bytes
        multiple = "(N-1)·K" if is_all else _multiple(link_bytes / self._size_bytes)
        both_ways = " in and as much out" if is_one and price.is_whole else ""
        words = (subject, verb, f"{multiple} = {format_size(link_bytes, self._typed)}{both_ways}")
        return " ".join(word for word in words if word)

    def _link_bytes(self, price: Price) -> int | None:
        """The bytes in one direction on the link of the rank that sends or receives most."""
        return (self._ranks - 1) * self._size_bytes if price.algorithm == COLLECTS else price.sent_bytes

    def _path_bytes(self, price: Price) -> int | None:
        """The bytes that are sent one after another."""
        if price.bytes_on_critical_path is not None:
            return price.bytes_on_critical_path
        link_bytes = self._link_bytes(price)
        return link_bytes and link_bytes * (2 if price.algorithm in _THROUGH_ONE and price.is_whole else 1)

    def _messages(self, price: Price) -> int | None:
        return self._ranks - 1 if price.algorithm == COLLECTS else price.messages


def _as_slow(priced: Sequence[Price], rival: Price) -> list[str]:
    """Return the algorithms that take as long as the rival, which is first."""
    level = [price for price in priced if price.is_whole and not price.is_bound]
    near = [price.algorithm for price in level if 1 / _LEVEL <= price.time_s / rival.time_s <= _LEVEL]
    return sorted(near, key=lambda name: name != rival.algorithm)


def _of_rival(price: Price, names: Sequence[str]) -> str:
    if price.is_whole:
        return f"{_listed(names)} {_time(price)}"
    return f"one server {_time(price)} only to collect ({price.algorithm})"


def _time(price: Price) -> str:
    """Three digits in the largest unit that gives a whole one, as the page writes times: 2.16 s, 39.6 µs."""
    seconds = price.time_s
    value, unit = (
        (seconds, "s") if seconds >= 1 else (seconds * 1e3, "ms") if seconds >= 1e-3 else (seconds * 1e6, "µs")
    )
    return f"{'at most ' if price.is_bound else ''}{_digits(value)} {unit}"


def _longer(ratio: float) -> str:
    return f"{_digits(ratio)} times as long" if ratio >= 2 else f"{_digits(100 * (ratio - 1))} % longer"


def _multiple(share: float) -> str:
    return "K" if abs(share - 1) < 1e-3 else f"{_digits(share)}·K"


def _digits(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
