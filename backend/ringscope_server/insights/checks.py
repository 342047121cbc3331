"""The checks of a job: which were made, and which could not be made and why. Pure.

Without this an empty list of insights would read as if everything had been found right.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ringscope.contracts.job import JobSpec
from ringscope.contracts.traced import MAX_FOLLOWED_RANKS
from ringscope.contracts.words.collectives import AUTO, SCHEDULED
from ringscope.contracts.words.units import plural
from ringscope_server.insights.limits import Limits
from ringscope_server.insights.slow_link import MIN_NODES
from ringscope_server.insights.views import Check
from ringscope_server.results.baseline import MAX_SPREAD, MIN_RUNS, History

_MIN_RANKS = 3


@dataclass(frozen=True)
class Facts:
    """The checkable data in the newest attempt of a job.

    Args:
        followed: operations between nodes that were followed message by message, large enough to judge.
        are_clocks_known: whether the clock offsets of all nodes are known.
        rows: the rows of the sweep's table; ``expected_rows`` of them could be compared with earlier runs.
    """

    spec: JobSpec
    nodes: int
    followed: int
    are_clocks_known: bool
    rows: int
    expected_rows: int
    history: History


def checks(facts: Facts) -> list[Check]:
    """Return a sentence for each check, whether it was made or not."""
    spec = facts.spec
    if spec.is_simulated:
        return [
            Check(
                check="all",
                is_checked=False,
                sentence="Nothing was checked, because the times come from the cost model.",
            )
        ]
    return [*_ranks(facts), *_links(facts), *_results(facts), *_bandwidth(facts)]


def _ranks(facts: Facts) -> Iterator[Check]:
    spec = facts.spec
    yield Check(check="hang", is_checked=True, sentence=_hang(spec))
    sentence = "A rank whose memory rises steadily over a minute of steps is reported; a GPU's memory is not read."
    yield Check(check="memory_growth", is_checked=True, sentence=sentence)
    if spec.ranks < _MIN_RANKS:
        for check in ("straggler", "late_rank"):
            sentence = f"It takes {_MIN_RANKS} ranks to find a slow or late one, and the job has {spec.ranks}."
            yield Check(check=check, is_checked=False, sentence=sentence)
        return
    if spec.benchmark is not None and not _own_algorithms(spec):
        sentence = (
            f"Waits inside {', '.join(spec.benchmark.algorithms)} cannot be observed; only a rank that is stopped or "
            "has no core is reported."
        )
        yield Check(check="straggler", is_checked=False, sentence=sentence)
    else:
        yield Check(
            check="straggler", is_checked=True, sentence="Each rank's own time was compared with that of the others."
        )
    if facts.are_clocks_known:
        yield Check(
            check="late_rank", is_checked=True, sentence="Each rank's arrivals were compared with those of the others."
        )
    else:
        sentence = "The clock of a node is not known, so the arrivals of ranks cannot be compared."
        yield Check(check="late_rank", is_checked=False, sentence=sentence)


def _hang(spec: JobSpec) -> str:
    limits = Limits.of(spec)
    if not limits.tells_steps:
        return (
            "A rank is reported that waits in a call for one whose program has ended, and ranks that all wait for each "
            "other in calls of the engine. Give hang_seconds to report any rank without progress."
        )
    return f"A rank that makes no progress for {limits.hang_seconds:g} s, or for 10 mean iterations, is reported."


def _links(facts: Facts) -> Iterator[Check]:
    if facts.nodes < MIN_NODES:
        sentence = f"It takes {MIN_NODES} nodes to find a slow link, and the job has {facts.nodes}."
        yield Check(check="slow_link", is_checked=False, sentence=sentence)
    elif not facts.are_clocks_known:
        sentence = "The clock of a node is not known, so times of different nodes cannot be compared."
        yield Check(check="slow_link", is_checked=False, sentence=sentence)
    elif facts.followed:
        sentence = f"The messages of {plural(facts.followed, 'operation')} between nodes were compared with each other."
        yield Check(check="slow_link", is_checked=True, sentence=sentence)
    else:
        sentence = "No large message between nodes was followed, and no hop is visible where all ranks end together. "
        yield Check(check="slow_link", is_checked=False, sentence=sentence + _to_follow(facts.spec))


def _to_follow(spec: JobSpec) -> str:
    if spec.benchmark is None:
        return "Submit a sendrecv over these nodes to check their links."
    if not _own_algorithms(spec):
        return "Add an algorithm with a schedule, such as ring."
    if spec.ranks > MAX_FOLLOWED_RANKS:
        return f"With more than {MAX_FOLLOWED_RANKS} ranks, submit the job with --trace."
    return "Choose sizes of at least 64 KiB."


def _results(facts: Facts) -> Iterator[Check]:
    benchmark = facts.spec.benchmark
    if benchmark is not None and benchmark.check:
        yield Check(check="wrong_result", is_checked=True, sentence="Every element was compared with the exact answer.")
    elif benchmark is not None:
        sentence = "The results were not compared, because the job has check: false."
        yield Check(check="wrong_result", is_checked=False, sentence=sentence)


def _bandwidth(facts: Facts) -> Iterator[Check]:
    if facts.spec.benchmark is None:
        return
    found = facts.history
    if facts.expected_rows:
        marked = any(row.is_disturbed for row in found.expected.values())
        other = (
            " Other load disturbed some of them, so a row is reported only below half of their bandwidth."
            if marked
            else ""
        )
        of_rows = "" if facts.expected_rows >= facts.rows else f"{facts.expected_rows} of {facts.rows} "
        sentence = f"{of_rows.capitalize()}rows were compared with earlier runs on similar nodes.{other}"
        yield Check(check="low_bandwidth", is_checked=True, sentence=sentence[:1].upper() + sentence[1:])
        return
    if found.disagreeing:
        sentence = (
            f"Other load disturbed the earlier runs on similar nodes, and they differ by more than {MAX_SPREAD:g} "
            "times, so there is no expected value. Measure again while nothing else runs."
        )
    else:
        sentence = (
            f"A row needs {MIN_RUNS} or more earlier runs of the same shape on similar nodes; there "
            f"{'is' if found.runs == 1 else 'are'} {found.runs}, and none measured these rows often enough."
        )
    yield Check(check="low_bandwidth", is_checked=False, sentence=sentence)


def _own_algorithms(spec: JobSpec) -> bool:
    benchmark = spec.benchmark
    return benchmark is None or any(
        name == AUTO or name in SCHEDULED[benchmark.collective] for name in benchmark.algorithms
    )
