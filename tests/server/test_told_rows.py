"""What rows say against what was asked for; see also test_gangs, where they decide about a job."""

import pytest

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope_server.attempts.told_rows import Key, Sweep, Told, fault

SPEC = BenchmarkSpec(algorithms=("ring",), min_bytes=1024, max_bytes=1024, iterations=20)
ASKED = Sweep("all_reduce", "float32", 2, 20, "sum")


def told(sweep: Sweep, transport: str = "shared_memory", executed: str = "ring") -> list[Told]:
    return [
        Told(Key(0, 1024, "ring", in_place), sweep if in_place else ASKED, 0, executed, transport)
        for in_place in (False, True)
    ]


def test_rows_that_were_asked_for_have_no_fault() -> None:
    assert fault(SPEC, 2, told(ASKED)) == ""


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
    ("asked", "executed", "transport", "is_fine"),
    [
        ("auto", "ring", "mpi", True),
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
    asked: str, executed: str, transport: str, is_fine: bool
) -> None:
    more = CLUSTER if asked == "simulated" else {"transport": asked}
    spec = BenchmarkSpec.model_validate(SPEC.model_dump() | more)
    found = fault(spec, 2, told(ASKED, transport, executed))
    sentence = f"went over {transport}, but transport {asked} was asked for."
    assert found == "" if is_fine else found.endswith(sentence)


def test_what_only_moves_data_has_no_operation() -> None:
    spec = BenchmarkSpec.model_validate(SPEC.model_dump() | {"collective": "broadcast"})
    rows = [row._replace(sweep=Sweep("broadcast", "float32", 2, 20, "none")) for row in told(ASKED)]
    assert fault(spec, 2, rows) == ""
