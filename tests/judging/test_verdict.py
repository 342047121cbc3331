"""The one sentence that compares the algorithms."""

import re
from itertools import permutations
from typing import Any

import pytest

from ringscope.contracts.record import Measurement
from ringscope.contracts.words.collectives import SCHEDULED, available, elements
from ringscope.judging.comparison import SweepComparison
from ringscope.judging.verdict import SizeRange, about_ratio, explanation, fastest, ranges, verdict
from ringscope.judging.winners import Range, Winners


def row(algorithm: str, time_us: float, size_bytes: int = 1 << 20, error: float = 0.01, **more: Any) -> Measurement:
    """Return a row whose interval reaches ``error`` of its time to both sides."""
    fields = {
        "collective": "all_reduce",
        "algorithm": algorithm,
        "transport": "mpi",
        "in_place": False,
        "size_bytes": size_bytes,
        "count": size_bytes // 4,
        "dtype": "float32",
        "op": "sum",
        "ranks": 2,
        "iterations": 20,
        "time_us": time_us,
        "time_low_us": time_us * (1 - error),
        "time_high_us": time_us * (1 + error),
        "algbw_gb_per_s": 1.0,
        "busbw_gb_per_s": 2.5,
        "wrong": 0,
        "min_us": time_us,
        "mean_us": time_us,
        "p50_us": time_us,
        "p95_us": time_us,
        "p99_us": time_us,
        "max_us": time_us,
        "stdev_us": 0.0,
        "cv_percent": 0.0,
        "time_ns": 0,
    }
    return Measurement.model_validate(fields | more)


def said(*rows: Measurement) -> str:
    return verdict(SweepComparison.of(rows))


def ranged(rows: list[Measurement]) -> list[Range]:
    comparison = SweepComparison.of(rows)
    return ranges(comparison, Winners(comparison))


def explained(rows: list[Measurement]) -> str:
    return explanation(SweepComparison.of(rows))


def over_sizes(**times_us: tuple[float, ...]) -> list[Measurement]:
    """Each algorithm at 512 KiB, 1 MiB, 2 MiB …"""
    return [row(name, time, (512 << 10) << i) for name, times in times_us.items() for i, time in enumerate(times)]


def test_the_winner_is_compared_with_mpi() -> None:
    assert said(row("ring", 40), row("direct", 20), row("mpi", 102)) == (
        "At 1 MiB direct is 5.1 times as fast as mpi (ratio of means; 95 %: 5.03 to 5.17)."
    )


def test_mpi_may_win_too() -> None:
    assert (
        said(row("ring", 40), row("mpi", 30))
        == "At 1 MiB mpi is 1.33 times as fast as ring (ratio of means; 95 %: 1.31 to 1.35)."
    )


def test_without_mpi_the_second_is_the_rival() -> None:
    assert "direct is 2 times as fast as ring" in said(row("naive", 90), row("ring", 40), row("direct", 20))


def test_each_range_of_sizes_has_its_winner() -> None:
    rows = over_sizes(direct=(10, 20, 60, 90), ring=(20, 30, 40, 50))
    assert said(*rows) == (
        "Fastest: direct up to 1 MiB, ring above. At 1 MiB direct is 1.50 times as fast as ring (ratio of "
        "means; 95 %: 1.48 to 1.52)."
    )
    assert said(*over_sizes(direct=(1, 2), ring=(2, 3))).startswith("Fastest: direct at every size. ")
    three = over_sizes(naive=(1, 9, 9, 9), direct=(2, 3, 9, 9), ring=(3, 4, 5, 6))
    assert said(*three).startswith("Fastest: naive up to 512 KiB, direct up to 1 MiB, ring above. ")


def test_the_ranges_are_those_of_the_sentence_and_none_where_it_names_no_winner() -> None:
    sizes = [(512 << 10) << i for i in range(4)]
    rows = over_sizes(direct=(10, 20, 60, 90), ring=(20, 30, 40, 50))
    assert ranged(rows) == [Range(sizes[:2], ["direct"], True), Range(sizes[2:], ["ring"], True)]
    assert ranged(over_sizes(ring=(1, 2))) == []
    assert ranged([*rows, row("mpi", 9, wrong=1)]) == []
    assert said(*(few := [row(name, 9, iterations=2) for name in ("ring", "mpi")])).startswith("No winner: ")
    assert ranged(few) == []


def test_a_size_at_which_several_may_be_the_fastest_ends_no_range() -> None:
    rows = over_sizes(direct=(10, 20.1, 60), ring=(20, 20, 40))
    assert said(*rows) == (
        "Fastest or tied: direct up to 1 MiB, ring above. At 1 MiB ring and direct cannot be distinguished."
    )


def test_what_changes_all_the_time_is_counted() -> None:
    rows = over_sizes(direct=(1, 2, 1, 2, 1, 2), ring=(2, 1, 2, 1, 2, 1))
    assert said(*rows).startswith("Fastest: direct at 3 of 6 sizes, ring at 3. At 1 MiB ring is 2 times as fast")
    unsure = [row(name, time, 32 << 20, error=0.5) for name, time in (("ring", 2), ("direct", 1))]
    assert said(*rows, *unsure).startswith("Fastest or tied: direct at 3 of 7 sizes, ring at 3; no clear winner at 1. ")


def test_whose_times_are_far_from_the_fastest_is_not_called_unbeaten_however_unsure_they_are() -> None:
    """Nor does a winner at large sizes win at the small ones, where nobody does."""
    unsure = [row(name, time, size, 0.7) for name, time in (("ring", 62), ("mpi", 25)) for size in (8, 512 << 10)]
    assert said(*unsure).startswith("No clear winner at any size: mpi or ring. ")
    clear = [row(name, time, 1 << 20) for name, time in (("ring", 90), ("mpi", 120))]
    assert said(*unsure, *clear).startswith(
        "Fastest or tied: mpi or ring up to 512 KiB, ring above. At 1 MiB ring is 1.33 times as fast as mpi"
    )
    level = [row(name, time, 512 << 10, 0.7) for name, time in (("ring", 62), ("mpi", 60))]
    assert said(*unsure[::2], *level, *clear).startswith("Fastest or tied: mpi or ring up to 8 B, ring above. ")


def test_only_who_is_unbeaten_at_each_size_of_a_range_is_named_there() -> None:
    """A demo on a busy laptop is like this: mpi loses clearly at large sizes, and no algorithm wins at small ones."""
    small = [row(name, time, size, 0.7) for name, time in (("ring", 9), ("mpi", 8), ("direct", 9)) for size in (8, 512)]
    large = [row(name, time, 1 << 20) for name, time in (("ring", 40.1), ("mpi", 120), ("direct", 40))]
    assert said(*small, *large) == (
        "No clear winner at any size: ring or direct. At 1 MiB direct is 3 times as fast as mpi (ratio of "
        "means; 95 %: 2.96 to 3.04)."
    )
    by_size = fastest(SweepComparison.of([*small, *large]))
    assert {size: set(names) for size, names in by_size.items()} == {
        8: {"ring", "mpi", "direct"},
        512: {"ring", "mpi", "direct"},
        1 << 20: {"ring", "direct"},
    }
    assert by_size[1 << 20] == ["direct", "ring"]
    few = [row(name, 9, iterations=2) for name in ("ring", "mpi")]
    assert fastest(SweepComparison.of(few)) == fastest(SweepComparison.of([*large, row("ring", 9, wrong=1)])) == {}


def test_where_who_is_unbeaten_changes_from_size_to_size_nobody_is_named() -> None:
    pairs = [("ring", "mpi"), ("direct", "naive")] * 4
    rows = [
        row(name, 10 if name in pair else 90, 512 << i, 0.1 if name in pair else 0.01)
        for i, pair in enumerate(pairs)
        for name in ("ring", "mpi", "direct", "naive")
    ]
    assert said(*rows).startswith("No clear winner at any size. At ")
    few = [one for one in rows if one.size_bytes < 2048]
    assert said(*few).startswith("No clear winner at any size: ring or mpi up to 512 B, direct or naive above. ")
    assert said(*rows, *(one.model_copy(update={"in_place": True}) for one in few)).endswith(
        "In place: ring or mpi up to 512 B, direct or naive above."
    )


def test_no_clear_winner_is_an_answer() -> None:
    rows = [row("ring", 40, error=0.2), row("direct", 36, error=0.2), row("naive", 90, error=0.2)]
    assert said(*rows) == "At 1 MiB direct and ring cannot be distinguished."


def test_whom_anybody_clearly_beats_is_no_winner_though_the_fastest_is_unsure() -> None:
    rows = [row("ring", 100, error=0.5), row("direct", 110), row("naive", 130)]
    rows += [one.model_copy(update={"size_bytes": 2 << 20}) for one in rows]
    assert said(*rows).startswith("No clear winner at any size: ring or direct.")


def test_too_few_iterations_never_give_a_winner() -> None:
    few = [row(name, us, iterations=2, time_low_us=None, time_high_us=None) for name, us in (("ring", 9), ("mpi", 900))]
    assert said(*few) == "No winner: a comparison needs at least 12 iterations of each, and there are 2."
    narrow = [row(name, us, iterations=8, error=0.001) for name, us in (("ring", 9), ("mpi", 900))]
    assert said(*narrow) == "No winner: a comparison needs at least 12 iterations of each, and there are 8.", (
        "of earlier versions"
    )
    assert said(*narrow, *narrow).endswith("and there are 8."), "what lies between rounds is in no cycle of them"
    assert said(*narrow * 5).startswith("At 1 MiB ring is 100 times as fast as mpi"), "cycles are rounds, too"
    old = [one.model_copy(update={"iterations": 20}) for one in few]
    assert said(*old) == ("An earlier version measured these rows and stored no confidence intervals: no winner.")


def test_in_place_is_told_where_it_differs() -> None:
    out = over_sizes(direct=(10, 20, 60), ring=(20, 30, 40))
    same = [one.model_copy(update={"in_place": True}) for one in out]
    assert said(*out, *same) == said(*out)
    inside = [one.model_copy(update={"in_place": True}) for one in over_sizes(direct=(10, 20, 30), ring=(20, 30, 40))]
    assert said(*out, *inside) == (
        "Fastest out of place: direct up to 1 MiB, ring above. At 1 MiB direct is 1.50 times as fast as ring "
        "(ratio of means; 95 %: 1.48 to 1.52). In place: direct at every size."
    )


def test_a_part_of_the_sizes_has_a_verdict_of_its_own() -> None:
    rows = over_sizes(direct=(10, 20, 60, 90), ring=(20, 30, 40, 50))
    part = SizeRange(1 << 20, 2 << 20)
    assert verdict(SweepComparison.of(rows), part).startswith(
        "Fastest from 1 MiB to 2 MiB: direct up to 1 MiB, ring above. At 1 MiB direct is 1.50 times as fast"
    )
    large = SizeRange(2 << 20, 1 << 36)
    assert verdict(SweepComparison.of(rows), large) == (
        "Fastest from 2 MiB to 4 MiB: ring. At 2 MiB ring is 1.50 times as fast as direct (ratio of "
        "means; 95 %: 1.48 to 1.52)."
    )
    assert verdict(SweepComparison.of(rows), SizeRange(3 << 20, 1 << 36)).startswith("At 4 MiB ring is 1.80 times")
    assert verdict(SweepComparison.of(rows), SizeRange(0, 8)) == ""


def test_a_part_of_the_sizes_is_not_more_certain_than_the_sweep() -> None:
    """A person may choose one of many sizes because it looks different by chance."""
    rows = [row(name, time, 8 << i, error=0.1) for i in range(18) for name, time in (("ring", 10), ("mpi", 10))]
    lucky = [row("ring", 10, 1 << 30, error=0.1), row("mpi", 11.8, 1 << 30, error=0.1)]
    only = SizeRange(1 << 30, 1 << 30)
    assert "ring is 1.18 times as fast as mpi" in verdict(SweepComparison.of(lucky), only)
    assert verdict(SweepComparison.of([*rows, *lucky]), only) == "At 1 GiB ring and mpi cannot be distinguished."


def test_one_algorithm_alone_is_told_at_its_best_size_and_only_out_of_place() -> None:
    best = [row("ring", 9, 1 << 20), row("ring", 40, 1 << 30, busbw_gb_per_s=9.0), row("ring", 90, 1 << 32)]
    assert said(*best) == "At 1 GiB ring reaches 9 GB/s bus bandwidth."


def test_of_equal_sizes_that_nearest_to_one_mebibyte_is_told() -> None:
    rows = [row("ring", 9, 512), row("ring", 40, 2 << 20), row("ring", 1, 1 << 20, in_place=True)]
    assert said(*rows[:2]) == "At 2 MiB ring reaches 2.5 GB/s bus bandwidth."
    assert said(rows[2]) == ""


def test_where_no_byte_goes_over_a_bus_the_time_is_told() -> None:
    assert said(row("ring", 9, 8, ranks=1, busbw_gb_per_s=0.0)) == "At 8 B ring takes 9 us."


def test_of_calls_that_send_nothing_the_times_are_compared_and_there_are_no_ranges() -> None:
    nothing = {"size_bytes": 0, "busbw_gb_per_s": 0.0}
    assert said(row("ring", 2.0, **nothing), row("mpi", 1.0, **nothing)).startswith("At 0 B mpi is 2 times as fast")


def test_model_times_are_called_simulated_and_are_sure() -> None:
    none = {"time_low_us": None, "time_high_us": None, "transport": "simulated"}
    rows = [row(name, time_us, **none) for name, time_us in (("ring", 40), ("tree", 80))]
    assert said(*rows) == "At 1 MiB ring is 2 times as fast as tree (simulated)."
    assert explained(rows) == "", "its channels are not told"
    assert said(rows[0]) == "At 1 MiB ring reaches 2.5 GB/s bus bandwidth (simulated)."
    equal = rows[1].model_copy(update={"time_us": rows[0].time_us})
    assert said(rows[0], equal) == "At 1 MiB ring and tree take the same time (simulated)."


def test_wrong_results_come_first() -> None:
    assert said(row("ring", 40, wrong=3)).startswith("Wrong results: 3 elements")
    assert said() == ""


def test_the_explanation_names_the_librarys_function():
    rows = [row("tree", 20, collective="broadcast"), row("mpi", 10, collective="broadcast")]
    assert explained(rows) == "MPI_Bcast chooses its algorithm itself."


def test_of_several_cycles_the_mean_counts_and_what_lies_between_them_is_not_sure() -> None:
    alike = [row("ring", us) for us in (20, 20.1, 19.9)] + [row("mpi", us) for us in (40, 40.2, 39.8)]
    assert "At 1 MiB ring is 2 times as fast as mpi (ratio of means; 95 %: 1.97 to 2.04)." in said(*alike)
    apart = [row("ring", us) for us in (30, 5, 20)] + [row("mpi", us) for us in (50, 40, 10)]
    assert said(*apart).endswith("cannot be distinguished.")


def of_ranks(ranks: int, **times_us: float) -> list[Measurement]:
    return [row(name, time_us, ranks=ranks) for name, time_us in times_us.items()]


def test_the_explanation_counts_bytes_and_hops_beside_the_next_of_ours() -> None:
    assert explained(of_ranks(4, direct=20, ring=40, mpi=30)) == (
        "At 1 MiB direct sends at most 1.5 MiB from a rank, over 2 hops; ring as much, over 6 hops."
    )
    assert explained(of_ranks(4, ring=20, naive=40)) == (
        "At 1 MiB ring sends at most 1.5 MiB from a rank, over 6 hops; naive 3 MiB, over 2 hops."
    )


def test_a_schedule_of_very_many_messages_is_not_even_built(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [one.model_copy(update={"count": 2**40}) for one in of_ranks(128, ring_pipelined=20, ring=40)]
    monkeypatch.setattr("ringscope.judging.verdict.build", None)
    assert explained(rows) == ""


def test_a_time_of_which_nothing_is_known_is_no_error() -> None:
    rows = [row("ring", 1, time_low_us=0.5, time_high_us=1000), row("direct", 1e14), row("mpi", 40)]
    assert said(*rows) == "At 1 MiB ring and mpi cannot be distinguished."
    assert "mpi takes 40 times as long as ring (ratio of means; 95 %: 0.00 to 1e+45)" in explained(rows)


def test_counts_that_speak_against_the_winner_are_told_as_such() -> None:
    assert explained(of_ranks(4, ring=20, direct=40)) == (
        "At 1 MiB ring sends at most 1.5 MiB from a rank, over 6 hops; direct as much, over 2 hops. "
        "By these counts direct should be faster: look at the spread of the times."
    )


def test_what_is_the_same_explains_nothing() -> None:
    assert explained(of_ranks(2, direct=20, ring=40)) == (
        "At 1 MiB direct sends at most 1 MiB from a rank, over 2 hops, and so does ring: "
        "these counts do not distinguish them."
    )


def test_without_a_winner_the_ratio_and_its_interval_say_how_unsure_that_is() -> None:
    ratio = "At 1 MiB direct takes 1.01 times as long as ring (ratio of means; 95 %: 0.96 to 1.05). "
    level = [
        row(name, time, error=error, ranks=4) for name, time, error in (("ring", 20, 0.01), ("direct", 20.1, 0.04))
    ]
    assert explained([*level, row("mpi", 40, ranks=4)]) == ratio + "More iterations would narrow the interval."
    same = [row("ring", 20), row("direct", 20.1, error=0.04)]
    no_hope = ratio + "With 2 ranks they send the same messages: expect no difference."
    assert explained([*same, row("mpi", 40)]) == no_hope
    assert explained([*same, row("mpi", 20.1, error=0.04)]).endswith("More iterations would narrow the interval.")
    wild = [row(name, 20, time_low_us=8, time_high_us=50) for name in ("ring", "direct")]
    assert "direct takes 1.00 times as long as ring (ratio of means; 95 %: 0.12 to 8.34)" in explained(wild)
    assert explained([row("ring", 20, time_low_us=None, time_high_us=None), row("mpi", 40)]) == ""


def test_where_a_stall_ruins_the_winners_mean_the_verdict_says_what_that_means() -> None:
    rounds_us = [20.0 + i / 100 for i in range(20)]
    ring = row("ring", 600, rounds_us=[*rounds_us[:-1], 12_000.0])
    mpi = row("mpi", 40, rounds_us=[2 * time for time in rounds_us])
    assert said(ring, mpi) == (
        "At 1 MiB ring is 2 times as fast as mpi (median of 20 rounds; 95 %: 2 to 2). The mean, "
        "nccl-tests' number, is lowest for mpi: "
        "a few slow iterations raise a mean but not the typical time."
    )


def test_why_a_table_has_another_ratio_is_said_where_rounds_decided() -> None:
    rounds_us = [20.0 + i / 100 for i in range(20)]
    by_rounds = said(row("ring", 20, rounds_us=rounds_us), row("mpi", 40, rounds_us=[2 * time for time in rounds_us]))
    assert "ratio of two times in a table can differ" in about_ratio(by_rounds)
    assert about_ratio(said(row("ring", 20), row("mpi", 40))) == "", "these means are what the table has"


def test_what_a_library_does_is_not_known() -> None:
    assert explained(of_ranks(4, ring=20, mpi=40)) == (
        "At 1 MiB ring sends at most 1.5 MiB from a rank, over 6 hops; MPI_Allreduce chooses its algorithm itself."
    )
    assert explained(of_ranks(4, mpi=20, ring=40)) == "MPI_Allreduce chooses its algorithm itself."
    assert explained(of_ranks(4, gloo=20, mpi=40)) == "gloo chooses its algorithm itself."


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
    assert explained(rows) == ""


@pytest.mark.parametrize("collective", SCHEDULED)
def test_every_pair_of_algorithms_of_every_collective_is_explained(collective: str) -> None:
    names = [name for name in available(collective) if name != "hierarchical"]
    for ranks in (2, 3, 8) if collective != "sendrecv" else (2,):
        count, _ = elements(collective, 1 << 20, 4, ranks)
        for winner, rival in permutations(names, 2):
            rows = of_ranks(ranks, **{winner: 20.0, rival: 40.0})
            rows = [row.model_copy(update={"collective": collective, "count": count}) for row in rows]
            assert re.search(r"over \d+ hops?|chooses its algorithm itself", explained(rows))
