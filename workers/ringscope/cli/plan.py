"""`ringscope plan`: what algorithms would cost on a cluster that is only described."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer
from rich.table import Table

from ringscope.algorithms import COLLECTIVES
from ringscope.cli.console import say, stdout_console
from ringscope.errors import UserError
from ringscope.nccl_tuner import Architecture
from ringscope.plan import PRICED, Price, prices
from ringscope.topology import PRESETS, Link, Topology
from ringscope.units import format_duration, format_size, parse_amount, parse_duration, parse_rate

T = TypeVar("T")
_DEFAULT_LINK = "10gbe"
_ARCHITECTURES: dict[str, Architecture] = {"nvlink3": "ampere", "nvlink4": "hopper", "nvlink5": "blackwell"}
_LINK_HELP = f"A known link: {', '.join(PRESETS)}; or its rate, such as 450GB/s."


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(plan)


def plan(
    collective: Annotated[str, typer.Argument(help=f"{', '.join(COLLECTIVES)}.")] = "all_reduce",
    algorithm: Annotated[
        str | None, typer.Option(help=f"Compared side by side: {', '.join(PRICED)}. Default: all with a schedule.")
    ] = None,
    ranks: Annotated[int | None, typer.Option(min=1, help="Ranks; default: those of the topology, or 8.")] = None,
    size: Annotated[str, typer.Option("--bytes", help="On each rank: 1.2GB is decimal, 64MiB binary.")] = "64MiB",
    link: Annotated[str, typer.Option(help="Between nodes. " + _LINK_HELP)] = _DEFAULT_LINK,
    bandwidth: Annotated[str | None, typer.Option(help="Between nodes, instead of the link's: 1GB/s.")] = None,
    latency: Annotated[str | None, typer.Option(help="Of a message between nodes: 5us.")] = None,
    gamma: Annotated[str | None, typer.Option(help="How fast one rank adds, such as 20GB/s; default: no time.")] = None,
    topology: Annotated[str, typer.Option(help="flat, NODESxRANKS or RACKSxNODESxRANKS, such as 4x8.")] = "flat",
    intra: Annotated[str, typer.Option(help="Inside a node. " + _LINK_HELP)] = "nvlink4",
    nics: Annotated[int | None, typer.Option(min=1, help="Network cards of a node; default: one per rank.")] = None,
    oversubscription: Annotated[float, typer.Option(min=1, help="Of the racks' uplinks.")] = 1.0,
    servers: Annotated[int, typer.Option(min=1, help="Parameter servers, or helpers of assisted_servers.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Price a collective with each algorithm in the α-β-γ model; needs neither a server nor MPI.

    Without --bandwidth and --latency those of --link hold; with --bandwidth alone the latency is 0, as in textbooks.
    """
    size_bytes = _parsed("--bytes", parse_amount, size)
    between = _link("--link", link)
    if bandwidth is not None:
        between = Link(0.0, _parsed("--bandwidth", parse_rate, bandwidth))
    if latency is not None:
        between = between._replace(latency_s=_parsed("--latency", parse_duration, latency))
    adding = _parsed("--gamma", parse_rate, gamma) if gamma is not None else None
    try:
        racks, nodes, ranks_per_node = _shape(topology, ranks)
        cluster = Topology(
            racks * nodes * ranks_per_node,
            between,
            _link("--intra", intra),
            ranks_per_node,
            nics_per_node=nics,
            nodes_per_rack=nodes if racks > 1 else None,
            oversubscription=oversubscription,
            reduce_bytes_per_s=adding,
        )
        names = tuple(COLLECTIVES.get(collective, ())) if algorithm is None else algorithm.split(",")
        found = list(prices(names, size_bytes, cluster, servers, _ARCHITECTURES.get(intra), collective))
    except ValueError as error:
        raise UserError(str(error)) from error
    if as_json:
        say(_json(found, collective, size_bytes, cluster, topology))
    else:
        amount = f"{size_bytes:,} bytes ({format_size(size_bytes)})"
        say(f"{amount} on each of {cluster.ranks} ranks, {_described(between)} between nodes")
        stdout_console().print(_table(found))


def _shape(topology: str, ranks: int | None) -> tuple[int, int, int]:
    """Racks, nodes in each, ranks on each."""
    if topology == "flat":
        return 1, 8 if ranks is None else ranks, 1
    parts = topology.split("x")
    if len(parts) not in (2, 3) or not all(part.isdecimal() and 0 < int(part) <= 1_000_000 for part in parts):
        raise ValueError(
            f"--topology: {topology!r} is no topology; write flat, NODESxRANKS such as 4x8, or RACKSxNODESxRANKS."
        )
    racks, nodes, ranks_per_node = (int(part) for part in ["1", *parts][-3:])
    if ranks not in (None, racks * nodes * ranks_per_node):
        raise ValueError(
            f"--ranks: {topology} has {racks * nodes * ranks_per_node} ranks, not {ranks}; leave --ranks out."
        )
    return racks, nodes, ranks_per_node


def _link(flag: str, text: str) -> Link:
    if text in PRESETS:
        return PRESETS[text].link
    try:
        return Link(0.0, parse_rate(text))
    except ValueError as error:
        raise UserError(
            f"{flag}: {text!r} is neither a known link nor a rate; choose one of {', '.join(PRESETS)}, "
            "or write for example 450GB/s."
        ) from error


def _parsed(flag: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise UserError(f"{flag}: {error}") from error


def _json(found: list[Price], collective: str, size_bytes: int, cluster: Topology, topology: str) -> str:
    facts = {
        "collective": collective,
        "ranks": cluster.ranks,
        "size_bytes": size_bytes,
        "topology": topology,
        "bandwidth_bytes_per_s": cluster.inter.bytes_per_s,
        "latency_s": cluster.inter.latency_s,
    }
    return json.dumps(facts | {"results": [asdict(price) for price in found]}, indent=2)


def _described(link: Link) -> str:
    return f"{link.bytes_per_s / 1e9:g} GB/s and {link.latency_s * 1e6:g} us"


def _table(found: list[Price]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("ALGORITHM")
    for heading in ("TIME", "ALGBW", "BUSBW", "MODEL", "MESSAGES", "FORMULA", "PHASES END AT"):
        table.add_column(heading, justify="left" if heading in ("MODEL", "PHASES END AT") else "right")
    for price in found:
        phases = ", ".join(f"{name} {format_duration(end_s)}" for name, end_s in (price.phase_ends_s or {}).items())
        table.add_row(
            price.algorithm,
            format_duration(price.time_s),
            f"{price.algbw_gb_per_s:.4g} GB/s",
            f"{price.busbw_gb_per_s:.4g} GB/s",
            price.source,
            "" if price.messages is None else str(price.messages),
            "" if price.formula_s is None else format_duration(price.formula_s),
            phases,
        )
    return table
