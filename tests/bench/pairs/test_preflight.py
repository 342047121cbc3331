"""A preflight on virtual ranks: a slow node ends it on its first rank, by the others or by earlier measurements."""

import random
import threading
from itertools import permutations

import pytest
from tests.bench.pairs.virtual_post import Network, VirtualPost, last_end, run_ranks

from ringscope.bench.pairs import preflight as module
from ringscope.bench.pairs.plane import Place
from ringscope.bench.pairs.preflight import judge, leaders_of
from ringscope.contracts.diagnosis.earlier import Baseline, Earlier
from ringscope.contracts.diagnosis.record import DiagnosisTold, PairMeasured
from ringscope.contracts.diagnosis.spec import DiagnosisSpec, preflight_spec
from ringscope.engine.errors import EngineError, UnfitNodeError

RATE = 64e6
SPEC = DiagnosisSpec(size_bytes=64 << 10, budget_seconds=20, timeout_seconds=2)  # this machine may be busy


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringscope.bench.pairs.meter.perf_counter", last_end)
    monkeypatch.setattr(module, "_END_SECONDS", 0.2)


def found(
    network: Network, nodes: int, known: Earlier | None = None, ranks_per_node: int = 1
) -> tuple[dict[int, str], list[PairMeasured]]:
    """Return the finding of each rank that has one, and the measured pairs."""
    places = [Place(f"h{rank // ranks_per_node + 1}") for rank in range(nodes * ranks_per_node)]
    told: list[DiagnosisTold] = []
    unfit: dict[int, str] = {}
    done = [threading.Event() for _ in places]

    def part(post: VirtualPost) -> None:
        try:
            judge(post, SPEC, places, told.append, lambda: None, known or Earlier())
        except UnfitNodeError as error:
            unfit[post.rank] = str(error)
        except EngineError:
            pass  # it waited in vain for its end, as nobody ends threads
        done[post.rank].set()

    run_ranks(network, len(places), part)
    assert all(event.wait(20) for event in done)
    return unfit, [one for one in told if isinstance(one, PairMeasured)]


def test_a_healthy_gang_starts_and_its_pairs_are_known() -> None:
    unfit, pairs = found(Network(RATE), 4)
    assert unfit == {} and len({frozenset((pair.first, pair.second)) for pair in pairs}) == 6


def test_a_slow_node_ends_it_on_its_first_rank_with_its_number() -> None:
    network = Network(RATE, sends={2: RATE / 2, 3: RATE / 2}, receives={2: RATE / 2, 3: RATE / 2})
    unfit, pairs = found(network, 3, ranks_per_node=2)
    assert set(unfit) == {2}
    assert unfit[2].startswith("The preflight found node h2 unfit: h2 reaches 5") and "MB/s" in unfit[2]
    assert {rank for pair in pairs for rank in (pair.first, pair.second)} == {0, 2, 4}


def test_a_node_slower_than_earlier_is_found_by_the_baseline_only() -> None:
    """Both of its links have the rate of the others here, but they were faster before."""
    usual = Earlier(
        baselines=[
            Baseline(source=one, destination=other, low=0.99 * factor * RATE, high=1.01 * factor * RATE)
            for one, other in permutations(("h1", "h2", "h3"), 2)
            for factor in [2 if "h3" in (one, other) else 1]
        ]
    )
    assert found(Network(RATE), 3)[0] == {}
    assert set(found(Network(RATE), 3, usual)[0]) == {2}


def test_the_ranks_of_the_ring_are_the_first_of_their_nodes() -> None:
    assert leaders_of([Place("a"), Place("a"), Place("b"), Place("c"), Place("c")]) == [0, 2, 3]


def test_true_means_two_seconds() -> None:
    assert preflight_spec(False) is None
    two, five = preflight_spec(True), preflight_spec(5)
    assert two is not None and five is not None and (two.budget_seconds, five.budget_seconds) == (2, 5)


@pytest.mark.long
@pytest.mark.parametrize("run", range(20))
def test_every_degraded_host_is_caught(run: int) -> None:
    dice = random.Random(run)
    bad, share = dice.randrange(4), dice.choice([0.5, 0.6, 0.7, 0.8])
    network = Network(RATE, sends={bad: share * RATE}, receives={bad: share * RATE})
    assert set(found(network, 4)[0]) == {bad}


@pytest.mark.long
@pytest.mark.parametrize("run", range(50))
def test_no_healthy_gang_is_refused(run: int) -> None:
    dice = random.Random(run)
    ways = {(one, other): RATE * dice.gauss(1, 0.01) for one in range(4) for other in range(4)}
    assert found(Network(1.2 * RATE, ways=ways), 4)[0] == {}
