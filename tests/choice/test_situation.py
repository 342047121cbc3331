"""A choice takes one of several times, and its sentence gives the reason."""

from ringscope.choice.situation import Choice

WHERE = " at 1 MiB, turn by turn"


def test_the_lowest_time_counts_and_of_equal_ones_the_library() -> None:
    assert Choice.fastest("tried here", {"ring": 9.0, "mpi": 9.0, "tree": 10.0}, WHERE) == (
        "mpi",
        "tried here: mpi 9 us, ring 9 us at 1 MiB, turn by turn.",
    )


def test_between_times_that_are_as_good_as_equal_the_expected_one_decides() -> None:
    times_us = {"ring": 100.0, "tree": 103.0, "direct": 104.0, "mpi": 150.0}
    likeliest = ["mpi", "direct", "tree", "ring"]
    assert Choice.fastest("tried here", times_us, WHERE, likeliest=likeliest) == (
        "direct",
        "tried here: direct 104 us, ring 100 us, mpi 150 us at 1 MiB, turn by turn, "
        "within 5 % of the fastest, and expected to be the fastest.",
    )


def test_who_is_clearly_faster_than_the_expected_one_is_taken() -> None:
    found = Choice.fastest("tried here", {"ring": 100.0, "direct": 106.0}, WHERE, likeliest=["direct", "ring"])
    assert found == ("ring", "tried here: ring 100 us, direct 106 us at 1 MiB, turn by turn.")


def test_who_is_expected_but_was_not_tried_is_not_taken() -> None:
    found = Choice.fastest("tried here", {"ring": 100.0, "direct": 106.0}, WHERE, likeliest=["naive", "direct", "ring"])
    assert found.algorithm == "ring"
