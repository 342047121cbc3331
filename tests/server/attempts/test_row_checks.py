"""Rows are checked against the sweep that was asked for; test_gangs checks what this means for the job."""

import pytest

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope.contracts.sweep_row import SweepRow
from ringscope_server.attempts.row_checks import NUMBERS, TIMES, Key, ReportedRow, Sweep, fault

SPEC = BenchmarkSpec(algorithms=("ring",), min_bytes=1024, max_bytes=1024, iterations=20)
ASKED = Sweep("all_reduce", "float32", 2, 20, "sum")


IN_10_US = dict(zip(NUMBERS, (256, 0.1024, 0.1024), strict=True))  # between two ranks
EVEN = dict.fromkeys(TIMES, 10.0) | {"stdev_us": 1.0}
EARLIER = dict.fromkeys(("time_low_us", "time_high_us", "p5_us", "p10_us", "p90_us"))  # not told by earlier versions


def told(sweep: Sweep, transport: str = "shared_memory", algorithm: str = "ring") -> list[ReportedRow]:
    return [
        ReportedRow(Key(0, 1024, algorithm, in_place), sweep if in_place else ASKED, IN_10_US, EVEN, 0, None, transport)
        for in_place in (False, True)
    ]


def test_every_time_of_a_row_is_checked() -> None:
    times = {name for name in SweepRow.model_fields if name.endswith(("_us", "_percent"))}
    assert set(TIMES) == times, "say in _RISING of attempts/row_checks.py between which others it lies"


def test_rows_that_were_asked_for_have_no_fault() -> None:
    assert fault(SPEC, 2, told(ASKED)) == ""


def test_a_row_beside_those_that_were_asked_for_is_named_be_there_one_missing_or_not() -> None:
    out_of_place, in_place = told(ASKED)
    strange = in_place._replace(key=in_place.key._replace(algorithm="tree"))
    assert fault(SPEC, 2, [out_of_place, in_place, strange]) == (
        "The row of tree at 1 KiB in place of cycle 0 was not asked for."
    )
    assert fault(SPEC, 2, [out_of_place, strange]) == (
        "The ranks ended, but 1 of 2 rows of the sweep are missing, among them ring at 1 KiB in place of cycle 0. "
        "The row of tree at 1 KiB in place of cycle 0 was not asked for."
    )
    assert fault(SPEC, 2, [in_place, in_place]).endswith("The row of ring at 1 KiB in place of cycle 0 was told twice.")


def test_sizes_that_did_not_fit_into_memory_are_not_missing_if_all_rows_say_so() -> None:
    spec = SPEC.model_copy(update={"max_bytes": 4096})
    lowered = [row._replace(lowered_max_bytes=1024) for row in told(ASKED)]
    assert fault(spec, 2, lowered) == ""
    assert fault(spec, 2, told(ASKED)).startswith("The ranks ended, but 4 of 6 rows of the sweep are missing")
    assert fault(spec, 2, lowered[:1]).startswith("The ranks ended, but 1 of 2 rows of the sweep are missing")
    assert fault(spec, 2, [lowered[0], told(ASKED)[1]]).startswith("Rows of one sweep tell different sizes")
    assert fault(SPEC, 2, [row._replace(lowered_max_bytes=512) for row in told(ASKED)]).endswith("was not asked for.")


@pytest.mark.parametrize(
    ("field", "value", "asked"),
    [
        ("collective", "broadcast", "all_reduce"),
        ("dtype", "int8", "float32"),
        ("ranks", 3, 2),
        ("iterations", 1, 20),
        ("op", "max", "sum"),
    ],
)
def test_rows_of_another_sweep_are_not_what_was_asked_for(field: str, value: object, asked: object) -> None:
    sentence = f"The row of ring at 1 KiB in place of cycle 0 has {field} {value}, but {asked} was asked for."
    assert fault(SPEC, 2, told(ASKED._replace(**{field: value}))) == sentence


CLUSTER = {"transport": "simulated", "topology": {"shape": "2"}, "check": False}


@pytest.mark.parametrize(
    ("asked", "algorithm", "transport", "is_fine"),
    [
        ("auto", "ring", "mpi", True),
        ("auto", "mpi", "mpi", True),
        ("auto", "mpi", "shared_memory", False),
        ("auto", "gloo", "gloo", True),
        ("auto", "ring", "gloo", False),
        ("auto", "ring", "nccl", True),
        ("auto", "nccl", "nccl, one-device loopback", True),
        ("auto", "nccl", "mpi", False),
        ("auto", "ring", "cuda_ipc", False),
        ("auto", "ring", "banana", False),
        ("auto", "ring", "nccl, banana", False),
        ("auto", "ring", "simulated", False),
        ("mpi", "ring", "mpi", True),
        ("mpi", "ring", "shared_memory", False),
        ("shared_memory", "ring", "mpi", False),
        ("shared_memory", "mpi", "mpi", True),
        ("nccl", "ring", "nccl, one-device loopback", True),
        ("nccl", "ring", "mpi", False),
        ("simulated", "ring", "simulated", True),
        ("simulated", "ring", "mpi", False),
    ],
)
def test_rows_went_over_the_transport_that_was_asked_for(
    asked: str, algorithm: str, transport: str, is_fine: bool
) -> None:
    more = CLUSTER if asked == "simulated" else {"transport": asked}
    spec = BenchmarkSpec.model_validate(SPEC.model_dump() | {"algorithms": (algorithm,)} | more)
    found = fault(spec, 2, told(ASKED, transport, algorithm))
    sentence = f"went over {transport}, but transport {asked} was asked for."
    assert found == "" if is_fine else found.endswith(sentence)


def test_what_only_moves_data_has_no_operation() -> None:
    spec = BenchmarkSpec.model_validate(SPEC.model_dump() | {"collective": "broadcast"})
    rows = [row._replace(sweep=Sweep("broadcast", "float32", 2, 20, "none")) for row in told(ASKED)]
    assert fault(spec, 2, rows) == ""


@pytest.mark.parametrize(
    ("algorithm", "chosen", "transport", "is_fine"),
    [
        ("ring", None, "shared_memory", True),
        ("ring", "direct", "shared_memory", False),
        ("ring", "ring", "shared_memory", False),
        ("auto", "direct", "shared_memory", True),
        ("auto", "mpi", "mpi", True),
        ("auto", "nccl", "nccl", True),
        ("auto", None, "shared_memory", False),
        ("auto", "nonsense", "shared_memory", False),
        ("auto", "auto", "shared_memory", False),
        ("auto", "gloo", "gloo", False),
    ],
)
def test_only_auto_chooses_and_of_its_candidates_one(
    algorithm: str, chosen: str | None, transport: str, is_fine: bool
) -> None:
    spec = BenchmarkSpec.model_validate(SPEC.model_dump() | {"algorithms": (algorithm,)})
    found = fault(spec, 2, [row._replace(chosen_algorithm=chosen) for row in told(ASKED, transport, algorithm)])
    place = f"{algorithm} at 1 KiB out of place of cycle 0"
    sentence = f"The row of {place} has chosen_algorithm {chosen}, which {algorithm} does not take."
    assert found == ("" if is_fine else sentence)


@pytest.mark.parametrize(
    ("field", "value", "follows"),
    [("count", 255, "256"), ("algbw_gb_per_s", 1.0, "0.1024"), ("busbw_gb_per_s", 999.0, "0.1024")],
)
def test_what_a_row_says_of_itself_follows_from_its_time(field: str, value: float, follows: str) -> None:
    rows = [row._replace(numbers=IN_10_US | {field: value}) for row in told(ASKED)]
    place = "ring at 1 KiB out of place of cycle 0"
    sentence = f"The row of {place} has {field} {value:g}, but {follows} follows from its size and time."
    assert fault(SPEC, 2, rows) == sentence
    assert "time" in fault(SPEC, 2, [row._replace(times=EVEN | {"time_us": 1000.0} | EARLIER) for row in told(ASKED)])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"time_low_us": 11.0}, "has time_low_us 11, above its time_us 10"),
        ({"time_high_us": 9.0}, "has time_us 10, above its time_high_us 9"),
        ({"p50_us": 13.0}, "has p50_us 13, above its p90_us 10"),
        ({"p50_us": 13.0} | EARLIER, "has p50_us 13, above its p95_us 10"),
        ({"max_us": 9.0}, "has p99_us 10, above its max_us 9"),
        ({"mean_us": 12.0}, "has mean_us 12, above its max_us 10"),
        ({"cv_percent": 0.0}, "has cv_percent 0, but 10 follows from its stdev_us and mean_us"),
    ],
)
def test_no_two_times_of_a_row_contradict_each_other(wrong: dict[str, float | None], sentence: str) -> None:
    rows = [row._replace(times=EVEN | wrong) for row in told(ASKED)]
    assert fault(SPEC, 2, rows) == f"The row of ring at 1 KiB out of place of cycle 0 {sentence}."
    assert fault(SPEC, 2, [row._replace(times=EVEN | EARLIER) for row in told(ASKED)]) == ""
