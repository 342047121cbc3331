"""The options that describe a cluster, and their meaning: for plans and for simulations."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self

import typer
from pydantic import ValidationError

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import field_errors
from ringscope.contracts.words.topology import PRESETS
from ringscope.contracts.words.units import parse_duration, parse_rate

_LINK_HELP = f"A known link: {', '.join(PRESETS)}; nvlink means nvlink4; or a rate, such as 450GB/s."
_FLAT = "flat"
_FLAGS = {
    "shape": "--topology",
    "link": "--link",
    "latency_us": "--latency",
    "intra": "--intra",
    "nics_per_node": "--nics",
    "channels": "--channels",
    "oversubscription": "--oversubscription",
    "reduce_gb_per_s": "--gamma",
}

Shape = Annotated[str | None, typer.Option("--topology", help="flat, NODESxRANKS or RACKSxNODESxRANKS, such as 4x8.")]


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """Options of ``plan``, ``bench`` and ``submit`` that describe a cluster; None: not given."""

    topology: Shape = None
    link: Annotated[str | None, typer.Option("--link", help="Link between nodes; default 10gbe. " + _LINK_HELP)] = None
    latency: Annotated[str | None, typer.Option(help="Latency of a message between nodes, such as 5us.")] = None
    intra: Annotated[str | None, typer.Option(help="Link inside a node; default nvlink4. " + _LINK_HELP)] = None
    nics: Annotated[int | None, typer.Option(min=1, help="Network cards of a node; default: one per rank.")] = None
    channels: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Channels of rings and trees; each leaves a node through a different rank. Default: one per card, 1 "
            "on CPUs.",
        ),
    ] = None
    oversubscription: Annotated[
        float | None, typer.Option(min=1, help="Oversubscription of the racks' uplinks; default 1.")
    ] = None
    gamma: Annotated[
        str | None, typer.Option(help="How fast one rank adds values, such as 20GB/s; default: adding takes no time.")
    ] = None

    def fields(self, ranks: int | None = None) -> dict[str, Any]:
        """Return the given options as fields of ``ClusterSpec``; ``ranks`` is the size of a flat cluster.

        UserError if one cannot be read, or if ``ranks`` contradicts the topology.
        """
        shape = None if self.topology == _FLAT else self.topology
        if ranks is not None:
            shape = shape or str(ranks)
            if (has := cluster({"shape": shape}).ranks) != ranks:
                raise UserError(f"--ranks: {shape} has {has} ranks, not {ranks}; leave --ranks out.")
        fields = {
            "shape": shape,
            "link": self.link,
            "latency_us": None if self.latency is None else _parsed("--latency", parse_duration, self.latency) * 1e6,
            "intra": self.intra,
            "nics_per_node": self.nics,
            "channels": self.channels,
            "oversubscription": self.oversubscription,
            "reduce_gb_per_s": None if self.gamma is None else _parsed("--gamma", parse_rate, self.gamma) / 1e9,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def without_channels(self) -> Self:
        """Return the options of a measured sweep: its channels belong to the benchmark."""
        return replace(self, channels=None)


def cluster(fields: dict[str, Any]) -> ClusterSpec:
    """Return the cluster; UserError names the flag that is wrong."""
    try:
        return ClusterSpec.model_validate(fields)
    except ValidationError as error:
        raise UserError(*(_with_flag(finding.detail) for finding in field_errors(error))) from error


def _with_flag(sentence: str) -> str:
    field, _, rest = sentence.partition(":")
    return f"{_FLAGS.get(field, field)}:{rest}"


def _parsed(flag: str, parse: Callable[[str], float], text: str) -> float:
    try:
        return parse(text)
    except ValueError as error:
        raise UserError(f"{flag}: {error}") from error
