"""`ringscope links` and `ringscope diagnose`: the links between nodes, and what slows a collective on them."""

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, get_args

import typer

from ringscope.cli.activity import loading_of
from ringscope.cli.commands.training.search import budget_seconds
from ringscope.cli.connection import Url, as_typed, connect
from ringscope.cli.console import DEFAULT_DATA_DIR, EXIT_FAILED, EXIT_INTERRUPTED, DataDir, complain, say, say_json
from ringscope.cli.follow import follow
from ringscope.cli.formatting import Columns, say_list, when
from ringscope.cli.outcome import exit_code
from ringscope.cli.progress import describe, show_progress
from ringscope.cli.results.link_matrix import listed, print_links
from ringscope.cli.results.verdict import as_document, labels, lost_sentence, print_verdict
from ringscope.client import Client, Diagnosis, Job, Node
from ringscope.client.views.nodes import Link
from ringscope.contracts.diagnosis.record import with_rail
from ringscope.contracts.diagnosis.spec import DiagnosisSpec, Per
from ringscope.contracts.errors import UserError
from ringscope.contracts.words.units import format_size, parse_size

_HISTORY: Columns[Link] = {
    "WHEN": lambda link: when(link.measured_at),
    "GB/S": lambda link: f"{link.busbw_gb_per_s:.3g}",
    "SIZE": lambda link: format_size(link.size_bytes),
    "BY": lambda link: "diagnosis" if link.algorithm == "diagnosis" else "sendrecv",
    "JOB": lambda link: link.job_id,
}
MOST_REASON = 1000  # characters
_SIZE = DiagnosisSpec.model_fields["size_bytes"]

Nodes = Annotated[
    str | None,
    typer.Option(help="Names of nodes, separated by commas; default: all nodes that take jobs.", metavar="A,B,C"),
]
Size = Annotated[str | None, typer.Option(help="Size of a message, such as 256K; default: 4M.")]
BothWays = Annotated[bool, typer.Option("--both-ways", help="The nodes of a pair send to each other at the same time.")]
Ranks = Annotated[
    int | None, typer.Option("--ranks-per-node", help="The number of rails; only with --per rail.", metavar="N")
]
PerWhat = Annotated[
    str | None,
    typer.Option(
        "--per", help="node: one rank on each node; rail: rank i of a node with rank i of the other; default: node."
    ),
]
Budget = Annotated[str | None, typer.Option(help="How long the rounds may take: 90s, 5m, 1h; default: 5m.")]
Now = Annotated[bool, typer.Option("--now", help="Refuse instead of waiting while a node is busy.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command()(links)
    app.command()(diagnose)


def links(
    nodes: Nodes = None,
    size: Size = None,
    both_ways: BothWays = False,
    ranks_per_node: Ranks = None,
    per: PerWhat = None,
    budget: Budget = None,
    now: Now = False,
    history: Annotated[
        bool,
        typer.Option("--history", help="List the earlier measurements between two named nodes, and measure nothing."),
    ] = False,
    rail: Annotated[
        int | None, typer.Option("--rail", min=0, help="List those of this rail; only with --history.", metavar="I")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all measured pairs as JSON.")] = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Measure bandwidth and latency between all pairs of nodes, and print them as a matrix.

    One rank runs on each node. All pairs of a round are measured at the same time, so that N nodes take N - 1 rounds.
    With --per rail each rail is measured by itself, one rail after the other, which takes as many times more rounds.
    The exit code is 0 if all was measured, 1 if the job failed, 3 if it was cancelled; 2 is bad input.
    """
    if rail is not None and not history:
        raise UserError("--rail: it chooses what --history lists; add --history, or measure rails with --per rail.")
    spec = {"measure": "links"} | _spec(size, both_ways, budget, per)
    with connect(url, data_dir) as client:
        if history:
            _print_history(client, chosen_nodes(client, nodes) if nodes else [], rail, as_json)
            return
        job, found = measured_on(client, chosen_nodes(client, nodes), spec, now, ranks_per_node)
        if as_json:
            say_json(json.dumps({"job": job.id} | found.model_dump(mode="json", exclude={"next"}), indent=2))
        else:
            print_links(found)
            if job.state != "succeeded":
                say(describe(job))
            say(f"{client.page_url}/jobs/{job.id}")
        raise typer.Exit(exit_code(job))


def diagnose(
    nodes: Nodes = None,
    job_id: Annotated[
        int | None, typer.Option("--job", help="Take the nodes of this job's last attempt, and its largest size.")
    ] = None,
    size: Size = None,
    both_ways: BothWays = False,
    ranks_per_node: Ranks = None,
    per: PerWhat = None,
    budget: Budget = None,
    now: Now = False,
    drain: Annotated[
        bool, typer.Option("--drain", help="Drain each node that is blamed, with the verdict as the reason.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print job, decided, rounds, blamed and cleared as JSON.")
    ] = False,
    url: Url = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Find the node, link or boundary that slows a collective, and print the verdict with its evidence.

    It measures the links of the ring, and then each suspect again with a node that is known to be good. A named node
    that is lost already is blamed without a measurement. With --per rail a node that is bad on some rails only is named
    with these rails. The exit code is 0 if the question is decided, whether or not
    something is blamed; 1 if it is undecided or the job failed, 3 if it was cancelled; 2 is bad input.
    """
    if nodes is not None and job_id is not None:
        raise UserError("--nodes, --job: both choose the nodes; leave out one of them.")
    spec = _spec(size, both_ways, budget, per)
    with connect(url, data_dir) as client:
        if job_id is not None:
            earlier = client.job(job_id)
            chosen = _of_job(client, earlier)
            spec |= {} if size else _size_of(earlier)
        else:
            chosen = chosen_nodes(client, nodes)
        lost = [node for node in chosen if node.observed == "lost"]
        job, found = measured_on(client, [node for node in chosen if node not in lost], spec, now, ranks_per_node)
        if as_json:
            say_json(json.dumps(as_document(job, found, lost), indent=2))
        else:
            print_verdict(job, found, lost)
        if drain:
            _drain(client, job, found, lost, complain if as_json else say)
        if not as_json:
            say(f"{client.page_url}/jobs/{job.id}")
        raise typer.Exit(0 if found.decided else exit_code(job) or EXIT_FAILED)


def _print_history(client: Client, nodes: Sequence[Node], rail: int | None, as_json: bool) -> None:
    if len(nodes) != 2:
        raise UserError("--history: a link has two nodes; name them with --nodes A,B.")
    first, second = nodes[0].name, nodes[1].name
    found = client.link_history(first, second, rail)
    ends = f"{with_rail(first, rail)} and {with_rail(second, rail)}"
    of_rails = rail is None and bool(found.rails)
    as_wholes = " with one rank on each node" if of_rails else ""
    say_list(found.items, _HISTORY, as_json, f"The link between {ends} has not been measured{as_wholes}.")
    if of_rails and not as_json:
        rails, first_rail = listed([str(each) for each in found.rails]), found.rails[0]
        told = f"Rails {rails} were" if len(found.rails) > 1 else f"Rail {rails} was"
        say(f"{told} measured alone; --rail {first_rail} lists its measurements.")


def _drain(client: Client, job: Job, found: Diagnosis, lost: Sequence[Node], tell: Callable[[str], None]) -> None:
    """Drain the nodes that are blamed, and say what cannot be drained."""
    reasons = {node.name: lost_sentence(node) for node in lost}
    reasons |= {each.names[0]: each.sentence for each in found.blamed if each.kind == "node"}
    for name, sentence in reasons.items():
        client.drain(name, f"Diagnosis {job.id}: {sentence}"[:MOST_REASON])
        tell(f"{name} is drained; `ringscope resume {name}` gives it work again.")
    for each in found.blamed:
        if each.kind != "node":
            tell(f"Nothing is drained for the {each.kind} {listed(labels(each))}, because no node of it is blamed.")
    if not reasons and not found.blamed:
        tell("Nothing is drained, because nothing is blamed.")


def _spec(size: str | None, both_ways: bool, budget: str | None, per: str | None) -> dict[str, Any]:
    spec: dict[str, Any] = {"both_ways": both_ways} if both_ways else {}
    if per is not None:
        if per not in get_args(Per):
            raise UserError(f"--per: give {' or '.join(get_args(Per))}, not {per}.")
        spec["per"] = per
    if size is not None:
        try:
            spec["size_bytes"] = parse_size(size)
        except ValueError as error:
            raise UserError(f"--size: {error}") from error
    if budget is not None:
        spec["budget_seconds"] = budget_seconds(budget)
    return spec


def chosen_nodes(client: Client, names: str | None) -> list[Node]:
    """Return the named nodes, or all that take jobs."""
    known = {node.name: node for node in client.nodes()}
    if names is None:
        return [node for node in known.values() if node.is_up and node.desired == "active"]
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if missing := [name for name in wanted if name not in known]:
        raise UserError(f"--nodes: there is no node {listed(missing)}; `ringscope nodes` lists them.")
    return [known[name] for name in dict.fromkeys(wanted)]


def _of_job(client: Client, job: Job) -> list[Node]:
    if not job.attempts or not job.attempts[-1].nodes:
        raise UserError(f"--job: job {job.id} has run on no node yet; name nodes with --nodes.")
    return chosen_nodes(client, ",".join(job.attempts[-1].nodes))


def _size_of(job: Job) -> dict[str, int]:
    """Return the largest size of a benchmark, within what a diagnosis can send."""
    if job.spec.benchmark is None:
        return {}
    least, most = (next(getattr(one, end) for one in _SIZE.metadata if hasattr(one, end)) for end in ("ge", "le"))
    return {"size_bytes": min(max(job.spec.benchmark.max_bytes, least), most)}


def _ranks(spec: dict[str, Any], nodes: Sequence[Node], ranks_per_node: int | None) -> dict[str, int]:
    """Return the number of ranks on each node if each rail is measured; UserError if the nodes cannot hold them."""
    if spec.get("per") != "rail":
        if ranks_per_node not in (None, 1):
            raise UserError("--ranks-per-node: one rank measures a node as a whole; add --per rail, or leave it out.")
        return {}
    if ranks_per_node is None or ranks_per_node < 2:
        raise UserError("--ranks-per-node: --per rail takes the number of rails of a node; give 2 or more.")
    small = [node for node in nodes if node.slots_total < ranks_per_node]
    if small:
        has = f"{small[0].name} has {small[0].slots_total} of the {ranks_per_node} slots that it needs"
        raise UserError(
            f"--ranks-per-node: {has}; lower it, choose others with --nodes, or start the agent with more --slots."
        )
    return {"ranks_per_node": ranks_per_node}


def measured_on(
    client: Client, nodes: Sequence[Node], spec: dict[str, Any], now: bool, ranks_per_node: int | None = None
) -> tuple[Job, Diagnosis]:
    """Run the job on these nodes to its end; return it with its verdict, and of links with what it measured."""
    names = [node.name for node in nodes]
    if len(names) < 2:
        there = f"only {names[0]} is" if names else "no node is"
        raise UserError(f"--nodes: two nodes at least have a link between them, and {there} there to measure.")
    placement = {"node_names": names} | _ranks(spec, nodes, ranks_per_node)
    job = job_on(client, nodes, {"kind": "diagnosis", "diagnosis": spec, "placement": placement}, now)
    return job, client.diagnosis(job.id, without_measured=spec.get("measure") != "links")


def job_on(client: Client, nodes: Sequence[Node], body: dict[str, Any], now: bool) -> Job:
    """Run a job on these nodes to its end; with ``now`` UserError if one of them is busy."""
    if busy := _busy(nodes):
        if now:
            raise UserError(f"--now: {busy}; leave out --now to wait for it.")
        complain(f"Waits: {busy}.")
    job = client.submit(body)
    try:
        return show_progress(follow(client, job.id), loading_of(client))
    except KeyboardInterrupt:
        complain(as_typed(f"Job {job.id} continues; `ringscope cancel {job.id}` stops it.", client.url))
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _busy(nodes: Sequence[Node]) -> str:
    """Return which nodes are busy and with which jobs; empty if none is."""
    jobs = sorted({slot.job_id for node in nodes for slot in node.slots if slot.job_id is not None})
    busy = [node.name for node in nodes if node.slots_busy]
    if not busy:
        return ""
    run = "runs" if len(busy) == 1 else "run"
    noun = "job" if len(jobs) == 1 else "jobs"
    work = f"{noun} {listed([str(number) for number in jobs])}" if jobs else "something"
    return f"{listed(busy)} {run} {work}"
