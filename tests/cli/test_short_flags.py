"""nccl-tests' letters: what they ask for here, and what is said to those that ask for what there is not."""

import pytest

from ringscope.cli.short_flags import sweep_fields, with_letters, without_foreign
from ringscope.contracts.errors import UserError

NOTHING = dict.fromkeys(("step_factor", "step_bytes", "average", "dtype", "check", "per_iteration", "rotate"))


def fields(**given: object) -> dict[str, object]:
    return sweep_fields(**NOTHING | given)  # type: ignore[arg-type]


def test_what_is_not_given_is_no_field() -> None:
    assert fields() == {}
    assert fields(warmup=None, cycles=3) == {"cycles": 3}


@pytest.mark.parametrize(
    ("factor", "step", "expected"),
    [
        (4, None, {"step_factor": 4}),
        (None, "64K", {"step_bytes": 65536}),
        (2, "64K", {"step_factor": 2}),  # as in nccl-tests: a factor above 1 wins
        (1, "64K", {"step_bytes": 65536}),
        (1, None, {"step_bytes": 1 << 20}),
        (0, "2M", {"step_bytes": 2 << 20}),
        (-3, None, {"step_factor": -3}),  # for the specification to refuse
    ],
)
def test_a_factor_above_1_wins_over_a_step(factor: int | None, step: str | None, expected: dict[str, int]) -> None:
    assert fields(step_factor=factor, step_bytes=step) == expected


@pytest.mark.parametrize(("text", "average"), [("0", "rank0"), ("1", "mean"), ("3", "max"), ("min", "min"), ("4", "4")])
def test_averages_by_number_or_name(text: str, average: str) -> None:
    assert fields(average=text) == {"average": average}


def test_switches_and_names_of_types() -> None:
    given = fields(check=0, per_iteration=1, rotate=1, dtype="half")
    assert given == {"check": False, "per_iteration": True, "rotate": True, "dtype": "float16"}


def test_letters_that_ask_for_nothing_are_taken_out() -> None:
    assert without_foreign(["all_reduce", "-g", "1", "-b", "8", "-t1", "-G", "0", "-n", "-1"]) == [
        *("all_reduce", "-b", "8", "-n", "-1")
    ]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-g", "8"], "-g: ranks are processes here, each with a GPU at most; give --ranks."),
        (["-g8"], "-g: ranks are processes here"),
        (["-b", "8", "-t", "2"], "-t: ranks are processes here, not threads; give --ranks."),
        (["-G", "5"], "-G: calls are not captured as CUDA graphs; leave it out."),
        (["-V", "4"], "-V: the number of CTAs belongs to NCCL_MIN_CTAS"),
        (["-R"], "-R: buffers are always registered"),
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
        (["--min-bytes", "8", "--json", "a.json", "-b8"], ["--min-bytes", "8", "--json", "a.json", "-b8"]),
    ],
)  # fmt: skip
def test_long_names_of_nccl_tests_are_its_letters(given: list[str], letters: list[str]) -> None:
    assert with_letters(given) == letters


def test_long_names_that_ask_for_nothing_or_for_what_there_is_not_are_as_their_letters() -> None:
    assert without_foreign(with_letters(["--nthreads", "1", "--ngpus=1", "--iters", "3"])) == ["-n", "3"]
    with pytest.raises(UserError, match=r"^-g: ranks are processes here"):
        without_foreign(with_letters(["--ngpus", "8"]))
