"""Algorithms that became slower."""

import random
from typing import Any

from tests.judging.test_two_jobs import row

from ringscope.judging.comparison import SweepComparison
from ringscope.judging.regressions import LEAST_RATIO, slower

MIB = 1 << 20


def run(seed: int = 0, size_bytes: int = MIB, **times_us: float) -> SweepComparison:
    """A sweep whose rounds scatter by some percent."""
    draw = random.Random(seed)
    rows = []
    for name, us in times_us.items():
        rounds_us = [us * draw.uniform(0.97, 1.03) for _ in range(20)]
        rows.append(row(us, algorithm=name, size_bytes=size_bytes, rounds_us=rounds_us))
    return SweepComparison.of(rows)


def found(*pairs: Any) -> list[tuple[int, str, float]]:
    return [(one.pair, one.algorithm, round(one.ratio.value, 1)) for one in slower(pairs)]


def test_what_takes_clearly_longer_is_found_the_worst_first() -> None:
    pairs = (run(1, ring=10, mpi=20), run(2, ring=12, mpi=20)), (run(3, tree=10), run(4, tree=30))
    assert found(*pairs) == [(1, "tree", 3.0), (0, "ring", 1.2)]
    [_, ring] = slower(pairs)
    assert ring.size_bytes == MIB
    assert ring.ratio.low and ring.ratio.low > 1


def test_what_became_faster_or_hardly_slower_is_none() -> None:
    assert found((run(1, ring=10), run(2, ring=5))) == []
    assert found((run(1, ring=10), run(2, ring=10 * (LEAST_RATIO - 0.03)))) == [], "though its interval excludes 1"


def test_without_rounds_enough_or_a_common_size_or_transport_nothing_is_found() -> None:
    assert found((SweepComparison.of([row(10.0)]), SweepComparison.of([row(90.0)]))) == []
    assert found((run(1, ring=10), run(2, size_bytes=2 * MIB, ring=90))) == []
    other = SweepComparison.of(
        [row(90.0, transport="shared_memory", size_bytes=MIB, rounds_us=[90.0 + i for i in range(20)])]
    )
    assert found((run(1, ring=10), other)) == []
    wrong = run(2, ring=90)
    wrong.wrong = 1
    assert found((run(1, ring=10), wrong)) == []
    assert found() == []


def test_among_many_equal_runs_hardly_any_is_called_slower() -> None:
    """A difference that is certain by itself may be chance among fifty."""
    draw = random.Random(5)

    def noisy(seed: int) -> SweepComparison:
        inner = random.Random(seed)
        return SweepComparison.of(
            [row(10.0, size_bytes=MIB, rounds_us=[inner.lognormvariate(2, 0.8) for _ in range(20)])]
        )

    lists = [[(noisy(draw.getrandbits(30)), noisy(draw.getrandbits(30))) for _ in range(50)] for _ in range(20)]
    assert sum(bool(found(*pairs)) for pairs in lists) <= 4
