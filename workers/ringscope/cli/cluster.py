"""The options that describe a cluster, and what they say together: for plans and for simulations."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import field_errors
from ringscope.contracts.words.topology import PRESETS
from ringscope.contracts.words.units import parse_duration, parse_rate

_LINK_HELP = f"A known link: {', '.join(PRESETS)}; nvlink is nvlink4; or its rate, such as 450GB/s."
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
LinkBetween = Annotated[str | None, typer.Option("--link", help="Link between nodes; default 10gbe. " + _LINK_HELP)]
Latency = Annotated[str | None, typer.Option(help="Latency of a message between nodes, such as 5us.")]
Intra = Annotated[str | None, typer.Option(help="Link inside a node; default nvlink4. " + _LINK_HELP)]
Nics = Annotated[int | None, typer.Option(min=1, help="Network cards of a node; default: one per rank.")]
Channels = Annotated[
    int | None,
    typer.Option(
        min=1, help="Channels of rings and trees, each leaving a node by another rank; default: one a card, on CPUs 1."
    ),
]
Oversubscription = Annotated[
    float | None, typer.Option(min=1, help="Oversubscription of the racks' uplinks; default 1.")
]
Gamma = Annotated[str | None, typer.Option(help="How fast one rank adds, such as 20GB/s; default: no time.")]


def described(
    topology: str | None = None,
    link: str | None = None,
    latency: str | None = None,
    intra: str | None = None,
    nics: int | None = None,
    oversubscription: float | None = None,
    gamma: str | None = None,
    ranks: int | None = None,
    channels: int | None = None,
) -> dict[str, Any]:
    """Return the options given, as fields of ``ClusterSpec``; ``ranks`` is the size of a flat cluster.

    UserError where one cannot be read, or ``ranks`` contradicts the topology.
    """
    shape = None if topology == _FLAT else topology
    if ranks is not None:
        shape = shape or str(ranks)
        if (has := cluster({"shape": shape}).ranks) != ranks:
            raise UserError(f"--ranks: {shape} has {has} ranks, not {ranks}; leave --ranks out.")
    fields = {
        "shape": shape,
        "link": link,
        "latency_us": None if latency is None else _parsed("--latency", parse_duration, latency) * 1e6,
        "intra": intra,
        "nics_per_node": nics,
        "channels": channels,
        "oversubscription": oversubscription,
        "reduce_gb_per_s": None if gamma is None else _parsed("--gamma", parse_rate, gamma) / 1e9,
    }
    return {name: value for name, value in fields.items() if value is not None}


def cluster(fields: dict[str, Any]) -> ClusterSpec:
    """The cluster; UserError that names the flag of what is wrong with it."""
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
