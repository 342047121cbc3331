"""The one sentence that compares the algorithms."""

import re
from itertools import permutations

import pytest

from ringscope.bench.verdict import explanation, verdict
from ringscope.contracts.collectives import SCHEDULED, available, elements
from ringscope.contracts.record import Measurement


def row(
    algorithm: str, p50_us: float, size_bytes: int = 1 << 20, in_place: bool = False, wrong: int = 0
) -> Measurement:
    return Measurement(
        collective="all_reduce",
        algorithm=algorithm,
        transport="mpi",
        in_place=in_place,
        size_bytes=size_bytes,
        count=size_bytes // 4,
        dtype="float32",
        op="sum",
        ranks=2,
        iterations=20,
        time_us=p50_us * 3,
        algbw_gb_per_s=1.0,
        busbw_gb_per_s=2.5,
        wrong=wrong,
        min_us=p50_us,
        mean_us=p50_us,
        p50_us=p50_us,
        p95_us=p50_us,
        p99_us=p50_us,
        max_us=p50_us,
        stdev_us=0.0,
        cv_percent=0.0,
        time_ns=0,
    )


def test_the_winner_is_compared_with_mpi() -> None:
    rows = [row("ring", 40), row("direct", 20), row("mpi", 102)]
    assert verdict(rows) == "direct is 5.1x MPI_Allreduce at 1 MiB (median iteration)"


def test_mpi_may_win_too() -> None:
    rows = [row("ring", 40), row("mpi", 20)]
    assert verdict(rows) == "MPI_Allreduce is 2.0x ring at 1 MiB (median iteration)"


def test_without_mpi_the_second_is_the_rival() -> None:
    rows = [row("naive", 90), row("ring", 40), row("direct", 20)]
    assert verdict(rows) == "direct is 2.0x ring at 1 MiB (median iteration)"


def test_the_size_nearest_to_one_mebibyte_counts_and_only_out_of_place() -> None:
    rows = [row("ring", 9, 512), row("ring", 40, 2 << 20), row("ring", 1, 1 << 20, in_place=True)]
    assert verdict(rows[:2]) == "ring reaches 2.5 GB/s bus bandwidth at 2 MiB"
    assert verdict([rows[2]]) == ""


def test_model_times_are_called_simulated() -> None:
    rows = [
        row(name, p50_us).model_copy(update={"transport": "simulated"}) for name, p50_us in (("ring", 40), ("tree", 80))
    ]
    assert verdict(rows) == "ring is 2.0x tree at 1 MiB (simulated)"
    assert verdict(rows[:1]) == "ring reaches 2.5 GB/s bus bandwidth at 1 MiB (simulated)"


def test_wrong_results_come_first() -> None:
    assert verdict([row("ring", 40, wrong=3)]).startswith("Wrong results: 3 elements")
    assert verdict([]) == ""


def test_the_vendor_is_named_by_its_function():
    rows = [row("tree", 20), row("mpi", 10)]
    assert verdict(rows, "broadcast") == "MPI_Bcast is 2.0x tree at 1 MiB (median iteration)"


def test_of_several_cycles_the_one_in_the_middle_counts() -> None:
    rows = [row("ring", time_us) for time_us in (30, 5, 20)] + [row("mpi", time_us) for time_us in (50, 40, 900)]
    assert verdict(rows) == "ring is 2.5x MPI_Allreduce at 1 MiB (median iteration)"


def of_ranks(ranks: int, **p50_us: float) -> list[Measurement]:
    return [row(name, time_us).model_copy(update={"ranks": ranks}) for name, time_us in p50_us.items()]


def test_the_explanation_counts_bytes_and_hops_beside_the_next_of_ours() -> None:
    assert explanation(of_ranks(4, direct=20, ring=40, mpi=30)) == (
        "direct sends at most 1.5 MiB from a rank, over 2 hops; ring as much, over 6 hops."
    )
    assert explanation(of_ranks(4, ring=20, naive=40)) == (
        "ring sends at most 1.5 MiB from a rank, over 6 hops; naive 3 MiB, over 2 hops."
    )


def test_counts_that_speak_against_the_winner_are_told_as_such() -> None:
    assert explanation(of_ranks(4, ring=20, direct=40)) == (
        "ring sends at most 1.5 MiB from a rank, over 6 hops; direct as much, over 2 hops. "
        "That speaks for direct: look at the spread of the times."
    )


def test_what_is_the_same_explains_nothing() -> None:
    assert explanation(of_ranks(2, direct=20, ring=40)) == (
        "direct sends at most 1 MiB from a rank, over 2 hops, and so does ring: these counts do not tell them apart."
    )


def test_what_a_library_does_is_not_known() -> None:
    assert explanation(of_ranks(4, ring=20, mpi=40)) == (
        "ring sends at most 1.5 MiB from a rank, over 6 hops; what MPI_Allreduce does inside is the library's choice."
    )
    assert explanation(of_ranks(4, mpi=20, ring=40)) == "What MPI_Allreduce does inside is the library's choice."
    assert explanation(of_ranks(4, gloo=20, mpi=40)) == "What gloo does inside is the library's choice."


@pytest.mark.parametrize(
    "rows",
    [
        [],
        of_ranks(4, ring=20),
        of_ranks(4, hierarchical=20, ring=40),
        of_ranks(500, direct=20, ring=40),
        [row("ring", 20, wrong=1), row("direct", 40)],
    ],
    ids=["none", "one", "by nodes", "too many ranks", "wrong"],
)
def test_there_is_nothing_to_explain(rows: list[Measurement]) -> None:
    assert explanation(rows) == ""


@pytest.mark.parametrize("collective", SCHEDULED)
def test_every_pair_of_algorithms_of_every_collective_is_explained(collective: str) -> None:
    names = [name for name in available(collective) if name != "hierarchical"]
    for ranks in (2, 3, 8) if collective != "sendrecv" else (2,):
        count, _ = elements(collective, 1 << 20, 4, ranks)
        for winner, rival in permutations(names, 2):
            rows = of_ranks(ranks, **{winner: 20.0, rival: 40.0})
            rows = [row.model_copy(update={"collective": collective, "count": count}) for row in rows]
            assert re.search(r"over \d+ hops?|the library's choice", explanation(rows, collective))
