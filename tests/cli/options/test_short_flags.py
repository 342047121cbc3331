"""nccl-tests' letters: what they ask for here, and what is said to those that ask for what there is not."""

import pytest

from ringscope.cli.short_flags import with_letters, without_foreign
from ringscope.contracts.errors import UserError


def test_letters_that_ask_for_nothing_are_taken_out() -> None:
    assert without_foreign(["all_reduce", "-g", "1", "-b", "8", "-t1", "-p", "0", "-n", "-1"]) == [
        *("all_reduce", "-b", "8", "-n", "-1")
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-g", "8"], "-g: ranks are processes here, each with a GPU at most; give --ranks."),
        (["-g8"], "-g: ranks are processes here"),
        (["-b", "8", "-t", "2"], "-t: ranks are processes here, not threads; give --ranks."),
        (["-V", "4"], "-V: the number of CTAs belongs to NCCL_MIN_CTAS"),
    ],
)
def test_letters_that_ask_for_what_there_is_not(arguments: list[str], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        without_foreign(arguments)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("given", "letters"),
    [
        (["--minbytes", "8", "--maxbytes=64M"], ["-b", "8", "-e", "64M"]),
        (["--stepfactor", "2", "--stepbytes", "1M"], ["-f", "2", "-i", "1M"]),
        (["--iters", "20", "--warmup_iters", "5", "--agg_iters", "1"], ["-n", "20", "-w", "5", "-m", "1"]),
        (["--warmup-iters", "5"], ["-w", "5"]),
        (["--check", "1", "--datatype", "float"], ["-c", "1", "-d", "float"]),
        (["--op", "sum", "--root=0"], ["-o", "sum", "-r", "0"]),
        (["--average", "1", "--blocking", "0"], ["-a", "1", "-z", "0"]),
        (["--local_register", "2", "--cudagraph", "5"], ["-R", "2", "-G", "5"]),
        (["--min-bytes", "8", "--json", "a.json", "-b8"], ["--min-bytes", "8", "--json", "a.json", "-b8"]),
    ],
)  # fmt: skip
def test_long_names_of_nccl_tests_are_its_letters(given: list[str], letters: list[str]) -> None:
    assert with_letters(given) == letters


def test_long_names_that_ask_for_nothing_or_for_what_there_is_not_are_as_their_letters() -> None:
    assert without_foreign(with_letters(["--nthreads", "1", "--ngpus=1", "--iters", "3"])) == ["-n", "3"]
    with pytest.raises(UserError, match=r"^-g: ranks are processes here"):
        without_foreign(with_letters(["--ngpus", "8"]))
