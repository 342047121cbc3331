"""`ringscope plan`: the predicted cost of algorithms on a described cluster."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import ValidationError
from rich.table import Table

from ringscope.cli.cluster import ClusterOptions, cluster
from ringscope.cli.console import say, say_json, stdout_console
from ringscope.cli.option_groups import unfolded
from ringscope.cli.scaling import rank_counts, show_scaling
from ringscope.cli.sweep_options import listed
from ringscope.cli.unused_options import all_for, refuse_unused
from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.collectives import SCHEDULED
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.topology import Link, Topology
from ringscope.contracts.words.units import format_duration, format_size, parse_rate, parse_size
from ringscope.cost.answer import answer
from ringscope.cost.fitting.fit_document import FitDocument
from ringscope.cost.fitting.regimes import regime_of
from ringscope.cost.nccl_model import ARCHITECTURES
from ringscope.cost.prices import PRICED, Price, TooManyMessagesError, prices, usual

T = TypeVar("T")
SERVED = tuple(name for name in PRICED if "server" in name)
# docs/planner.md contains the measurement of this error.
ACCURACY = (
    "These are line rates; libraries reach about 80 % on NVLink. nccl, NCCL's own model, has a median error of "
    "5.5 % (docs/planner.md)."
)


_IN_ASCII = str.maketrans({"·": "*", "µ": "u"})  # for terminals that have no other characters


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command()(unfolded(plan))


def plan(
    context: typer.Context,
    collective: Annotated[str, typer.Argument(help=f"{', '.join(SCHEDULED)}.")] = "all_reduce",
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            metavar="<str>",
            help=f"Algorithms to compare: {', '.join(PRICED)}. Default: all with a schedule, and for all_reduce nccl "
            "if nodes have GPUs.",
        ),
    ] = None,
    ranks: Annotated[int | None, typer.Option(min=1, help="Ranks; default: the ranks of the topology, or 8.")] = None,
    size: Annotated[
        str, typer.Option("--bytes", help="Size of the buffer on each rank: 1.2GB is decimal, 64MiB binary.")
    ] = "64MiB",
    bandwidth: Annotated[
        str | None, typer.Option(help="Bandwidth between nodes, instead of the link's: 1GB/s.")
    ] = None,
    network: ClusterOptions = ClusterOptions(),
    servers: Annotated[int, typer.Option(min=1, help="Parameter servers, or helpers of assisted_servers.")] = 1,
    fit: Annotated[
        Path | None, typer.Option(help="Parameters from `ringscope fit --json` instead of a link's.")
    ] = None,
    up_to: Annotated[
        int | None,
        typer.Option(min=2, help="A scaling curve: the times with 2, 4, 8 … ranks, up to this number of them."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Price a collective with each algorithm in the α-β-γ model; needs neither a server nor MPI.

    Without --bandwidth and --latency those of --link apply; with --bandwidth alone the latency is 0, as in textbooks.
    docs/planner.md names the source of a link's figures; latencies between nodes are recalled, not measured.
    With --fit the parameters are measured ones; --intra still applies if the fit has no links inside nodes.
    """
    size_bytes = _parsed("--bytes", parse_size, size)
    if bandwidth is not None:
        _parsed("--bandwidth", parse_rate, bandwidth)
        network = replace(network, link=bandwidth)
    if fit is not None and any(option is not None for option in (network.link, network.latency, network.gamma)):
        raise UserError(
            "--fit: it contains the speed of links and additions; leave out --link, --bandwidth and similar options."
        )
    fitted = _fitted(fit) if fit is not None else None
    if network.channels is None and fitted is not None and fitted.is_of_processes:
        network = replace(network, channels=1)
    named = tuple(listed(algorithm)) if algorithm else ()
    if named and not set(SERVED) & set(named):
        refuse_unused(context, {"--servers": f"only {', '.join(SERVED)} have servers; leave it out."})

    if up_to is not None:
        refuse_unused(context, all_for(("--ranks", "--topology"), "--up-to gives the numbers of ranks; leave it out."))
        wheres = [cluster(network.fields(count)) for count in rank_counts(up_to)]
        curve = [(where.ranks, _priced(named, collective, size_bytes, where, servers, fitted)[0]) for where in wheres]
        show_scaling(curve, collective, size_bytes, size, as_json)
        return
    where = cluster(network.fields(ranks))
    found, left_out = _priced(named, collective, size_bytes, where, servers, fitted)
    regimes = fitted.parameters() if fitted else ()
    links = regime_of(regimes, size_bytes).on(where.topology) if regimes else where.topology
    sentence = answer(found, collective, size_bytes, links, size, servers)
    if as_json:
        say_json(_json(found, collective, size_bytes, where, fitted, sentence))
    else:
        amount = f"{size_bytes:,} bytes ({format_size(size_bytes, size)})"
        of_links = _links(where.topology) if fitted is None else _source(fitted)
        say(f"{SIMULATED.upper()}: {amount} on each of {where.ranks} ranks, {of_links}")
        say(sentence.translate(_IN_ASCII))
        stdout_console().print(_table(found))
        if any(price.is_bound for price in found):
            say(
                "Upper bound: the times at which messages share links were not followed, so the rates are lower bounds."
            )
        for sentence in [ACCURACY] if fitted is None else fitted.caveats:
            say(sentence)
        if left_out:
            say(f"Left out, because they have too many messages to price one by one: {', '.join(left_out)}.")


def _priced(
    named: Sequence[str],
    collective: str,
    size_bytes: int,
    where: ClusterSpec,
    servers: int,
    fitted: FitDocument | None,
) -> tuple[list[Price], list[str]]:
    """Return the prices of the named algorithms, or of the default ones, and the names of those with too many messages.

    UserError for an unknown algorithm, or for a named one with too many messages.
    """
    architecture, regimes = ARCHITECTURES.get(where.intra), fitted.parameters() if fitted else ()
    names = named or usual(collective, where.topology, architecture, is_fitted=fitted is not None)
    found: list[Price] = []
    left_out: list[str] = []
    for name in names:
        try:
            found += prices([name], size_bytes, where.topology, servers, architecture, collective, regimes)
        except TooManyMessagesError as error:
            if named:
                raise UserError(f"--{error}") from error
            left_out.append(name)
        except ValueError as error:
            raise UserError(f"--{error}" if str(error).startswith("algorithm") else str(error)) from error
    return found, left_out


def _parsed(flag: str, parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise UserError(f"{flag}: {error}") from error


def _fitted(path: Path) -> FitDocument:
    try:
        return FitDocument.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"--fit: {path} cannot be read ({error.strerror}); name another file.") from error
    except ValidationError as error:
        raise UserError(
            f"--fit: {path} does not contain a fit; write one with `ringscope fit RESULTS --json`."
        ) from error


def _source(fitted: FitDocument) -> str:
    made_up = " of SIMULATED rows" if fitted.transport == SIMULATED else f" of {fitted.transport}"
    return f"parameters from a fit{made_up} with a median error of {fitted.median_error:.1%}"


def _json(
    found: list[Price],
    collective: str,
    size_bytes: int,
    where: ClusterSpec,
    fitted: FitDocument | None,
    sentence: str,
) -> str:
    facts: dict[str, Any] = {
        "basis": SIMULATED,
        "collective": collective,
        "ranks": where.ranks,
        "size_bytes": size_bytes,
        "topology": where.model_dump(),
        "answer": sentence,
    }
    if fitted is None:
        link = where.topology.inter
        facts |= {"bandwidth_bytes_per_s": link.bytes_per_s, "latency_s": link.latency_s}
    else:
        facts["fit"] = fitted.model_dump(exclude={"residuals"})
    return json.dumps(facts | {"results": [asdict(price) for price in found]}, indent=2)


def _links(topology: Topology) -> str:
    between = f"{_described(topology.inter)} between nodes"
    if topology.ranks_per_node == 1 or topology.intra is None:
        return between
    cards = f"{topology.cards} network card{'s' if topology.cards > 1 else ''} a node"
    return f"{between} with {cards}, {_described(topology.intra)} inside"


def _described(link: Link) -> str:
    return f"{link.bytes_per_s / 1e9:g} GB/s and {link.latency_s * 1e6:g} us"


def _model(price: Price) -> str:
    channels = f", {price.channels} channels" if (price.channels or 1) > 1 else ""
    part = "" if price.is_whole else ", only collects"
    return f"{price.source}{channels}{', bound' if price.is_bound else ''}{part}"


def _table(found: list[Price]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("ALGORITHM")
    for heading in ("TIME", "ALGBW", "BUSBW", "MODEL", "MESSAGES", "FORMULA", "PHASES END AT"):
        table.add_column(heading, justify="left" if heading in ("MODEL", "PHASES END AT") else "right")
    for price in found:
        phases = ", ".join(f"{name} {format_duration(end_s)}" for name, end_s in (price.phase_ends_s or {}).items())
        table.add_row(
            price.algorithm,
            f"{'at most ' if price.is_bound else ''}{format_duration(price.time_s)}",
            f"{price.algbw_gb_per_s:.4g} GB/s",
            f"{price.busbw_gb_per_s:.4g} GB/s",
            _model(price),
            "" if price.messages is None else str(price.messages),
            "" if price.formula_s is None else format_duration(price.formula_s),
            phases,
        )
    return table
