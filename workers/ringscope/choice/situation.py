"""The situation that a choice depends on, and the choice. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from ringscope.contracts.tuning import Key, arithmetic_of, shape_of
from ringscope.contracts.words.collectives import VENDORS
from ringscope.contracts.words.units import format_duration

_AS_FAST_PERCENT = 5  # longer than the fastest time, in percent
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything except the size that a choice depends on; ``ranks_of_nodes`` are the nodes' numbers of ranks, in
    rank order.
    """

    collective: str
    dtype: str
    ranks_of_nodes: tuple[int, ...]
    transport: str
    in_place: bool = False
    is_crowded: bool = False  # fewer cores than ranks

    @property
    def ranks(self) -> int:
        """Ranks on all nodes."""
        return sum(self.ranks_of_nodes)

    @property
    def base_transport(self) -> str:
        """Return the transport without the suffix of its name, such as one-device loopback."""
        return base_of(self.transport)

    @property
    def key(self) -> Key:
        """Return the key of the curves that apply to it."""
        arithmetic = arithmetic_of(self.collective, self.dtype)
        return Key(self.collective, arithmetic, shape_of(self.ranks_of_nodes), self.in_place, self.is_crowded)

    def __str__(self) -> str:
        nodes = len(self.ranks_of_nodes)
        where = f"{self.ranks} ranks on {nodes} node{'s' if nodes > 1 else ''} over {self.transport}"
        crowded = ", on fewer cores" if self.is_crowded else ""
        return f"{self.collective} of {self.dtype}{' in place' if self.in_place else ''}, {where}{crowded}"


class Choice(NamedTuple):
    """The algorithm, and the reason in a sentence with figures."""

    algorithm: str
    because: str

    @classmethod
    def fastest(
        cls,
        source: str,
        times_us: Mapping[str, float],
        where: str,
        bounds: Collection[str] = (),
        likeliest: Sequence[str] = (),
    ) -> "Choice":
        """Choose the lowest time; if times are equal, a library's, because its messages start without Python.

        ``bounds`` are the algorithms whose time is an upper bound. ``likeliest`` are names in the expected order, which
        decides between times that a few calls cannot distinguish.
        """
        ordered = sorted(times_us, key=lambda name: (times_us[name], name not in VENDORS))
        most_us = times_us[ordered[0]] * (1 + _AS_FAST_PERCENT / 100)
        as_fast = [name for name in likeliest if times_us.get(name, inf) <= most_us]
        if as_fast and as_fast[0] != ordered[0]:
            ordered = [as_fast[0], *(name for name in ordered if name != as_fast[0])]
            where += f", within {_AS_FAST_PERCENT} % of the fastest, and expected to be the fastest"
        named = ordered[: _NAMED - 1]
        named += [name for name in ordered[_NAMED - 1 :] if name in VENDORS][:1]
        figures = ", ".join(
            f"{name} {'at most ' if name in bounds else ''}{format_duration(times_us[name] / 1e6)}" for name in named
        )
        return cls(ordered[0], f"{source}: {figures}{where}.")


def base_of(transport: str) -> str:
    """Return the transport without the suffix of its name, such as one-device loopback."""
    return transport.partition(",")[0]


def ratio(number: int, other: int) -> float:
    """Return the ratio of the larger number to the smaller one."""
    return max(number, other) / min(number, other)
