"""Options of a sweep as fields of its specification."""

import pytest

from ringscope.cli.sweep_options import SweepOptions


def fields(**given: object) -> dict[str, object]:
    return SweepOptions(**given).benchmark()  # type: ignore[arg-type]


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


def test_sizes_and_algorithms_as_typed() -> None:
    given = fields(min_bytes="64K", max_bytes="1M", algorithm=["ring,direct", "mpi"])
    assert given == {"min_bytes": 65536, "max_bytes": 1 << 20, "algorithms": ["ring", "direct", "mpi"]}
