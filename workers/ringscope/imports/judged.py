"""The judgement of a run that was read from a file, with the facts that the user adds. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ringscope.expected.facts import Facts, Point, network_of
from ringscope.expected.judgement import Judgement, judge
from ringscope.expected.published import Source
from ringscope.expected.transport import is_without_nvls
from ringscope.imports.model import Run


@dataclass(frozen=True)
class Given:
    """Facts that a user states, which come before those of the file."""

    gpu: str | None = None
    nodes: int | None = None
    collective: str | None = None
    cards: tuple[int, float] | None = None
    ranks: int | None = None  # only for a file that does not state them


def judged(run: Run, given: Given, sources: Sequence[Source]) -> Judgement:
    """Return the judgement of a run's rows that agree with themselves."""
    return judge(facts_of(run, given), points_of(run), sources)


def points_of(run: Run) -> list[Point]:
    """Return the bandwidths of the rows that count."""
    return [
        Point(row.size_bytes, row.in_place, row.busbw.value, row.busbw.low, row.busbw.high)
        for row in run.rows
        if row.busbw is not None and row.counts
    ]


def facts_of(run: Run, given: Given) -> Facts:
    """Return what the file says of the machine, completed by what the user says."""
    machine = run.machine
    ranks = run.ranks or given.ranks
    is_list_whole = run.ranks is not None and len(machine.devices) >= run.ranks
    nodes = given.nodes or (len(machine.hosts) if is_list_whole else machine.info_nodes)
    if nodes is None and run.ranks == 2 and machine.crosses_network:
        nodes = 2
    facts = Facts(
        gpu=given.gpu or machine.gpu,
        ranks=ranks,
        nodes=nodes,
        gpus_per_node=ranks // nodes if ranks and nodes and ranks % nodes == 0 else None,
        collective=given.collective or run.collective,
        library="RCCL" if run.tool == "rccl-tests" else "NCCL",
        network=network_of(machine.networks, machine.environment),
        nvls=False if is_without_nvls(machine.environment) else machine.nvls,
        environment=machine.environment,
    )
    return replace(facts, cards=given.cards[0], card_gbit=given.cards[1]) if given.cards else facts
