"""What rows say against what was asked for; see also test_gangs, where they decide about a job."""

import pytest

from ringscope.contracts.benchmark import BenchmarkSpec
from ringscope_server.attempts.told_rows import Key, Sweep, Told, fault

SPEC = BenchmarkSpec(algorithms=("ring",), min_bytes=1024, max_bytes=1024, iterations=20)
ASKED = Sweep("all_reduce", "float32", 2, 20)


def told(sweep: Sweep) -> list[Told]:
    return [Told(Key(0, 1024, "ring", in_place), sweep if in_place else ASKED, 0) for in_place in (False, True)]


def test_rows_that_were_asked_for_have_no_fault() -> None:
    assert fault(SPEC, 2, told(ASKED)) == ""


@pytest.mark.parametrize(
    ("field", "value", "asked"),
    [("collective", "broadcast", "all_reduce"), ("dtype", "int8", "float32"), ("ranks", 3, 2), ("iterations", 1, 20)],
)
def test_rows_of_another_sweep_are_not_what_was_asked_for(field: str, value: object, asked: object) -> None:
    sentence = f"The row of ring at 1 KiB in place of cycle 0 has {field} {value}, but {asked} was asked for."
    assert fault(SPEC, 2, told(ASKED._replace(**{field: value}))) == sentence
