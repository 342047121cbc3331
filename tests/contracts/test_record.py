"""Records that are short on the way, and what they stand for."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from ringscope.contracts.columns import MOST_ENTRIES
from ringscope.contracts.record import RECORD, Failure, Iterations, Log, Steps, Trace
from ringscope.contracts.traced import TracedTransfer

WHOLE: dict[str, Any] = {"rank": 1, "first_step": 7, "op": "all_reduce", "bus_factor": 1.5}
KIND: dict[str, Any] = {"algorithm": "ring", "transport": "mpi", "in_place": True, "bytes": 1000}


def iterations(start_ns: int, **columns: Any) -> dict[str, Any]:
    """Return a record with the iterations of one block."""
    return {"type": "iterations", "kinds": [KIND], "blocks": [(0, 3, start_ns)]} | WHOLE | columns


def test_iterations_are_steps_of_nothing_but_communication() -> None:
    told = Iterations(**iterations(10**9, duration_ns=[20_000, 30_500, 10]))
    times_us = [20.0, 30.5, 0.01]
    assert told.steps() == [
        Steps(
            **WHOLE,
            **KIND,
            start_ns=[10**9, 10**9 + 20_000, 10**9 + 50_500],
            duration_us=times_us,
            communication_us=times_us,
            compute_us=[0.0] * 3,
            exposed_us=times_us,
        )
    ]


def test_a_pause_lies_between_two_iterations() -> None:
    (told,) = Iterations(**iterations(0, duration_ns=[10, 10, 10], pause_ns=[5, 90, 0])).steps()
    assert told.start_ns == [0, 15, 115]


def test_blocks_follow_one_another_and_each_has_its_kind() -> None:
    told = Iterations(
        **WHOLE,
        kinds=[KIND, KIND | {"algorithm": "direct"}],
        blocks=[(1, 1, 100), (0, 2, 500), (1, 1, 900)],
        duration_ns=[1, 2, 3, 4],
        pause_ns=[0, 50, 0, 0],
    )
    found = [(steps.first_step, steps.algorithm, steps.start_ns, steps.duration_us) for steps in told.steps()]
    assert found == [
        (7, "direct", [100], [0.001]),
        (8, "ring", [500, 552], [0.002, 0.003]),
        (10, "direct", [900], [0.004]),
    ]


def test_columns_of_integers_travel_as_bytes() -> None:
    told = Iterations(**iterations(0, duration_ns=[1, 256, 3]))
    text = told.model_dump_json()
    assert json.loads(text)["duration_ns"] == "AQAAAAAAAAAAAQAAAAAAAAMAAAAAAAAA"
    assert RECORD.validate_json(text) == told


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (iterations(0, duration_ns=[1, 2]), "one entry per iteration"),
        (iterations(0, duration_ns=[1, 2, 3], pause_ns=[1]), "one entry per iteration"),
        (iterations(0, duration_ns=[1, 2, 3], kinds=[]), "needs its kind"),
        (iterations(0, duration_ns=[1, -2, 3]), "not negative"),
        (iterations(0, duration_ns=[1, 2, 3], pause_ns=[0, -1, 0]), "not negative"),
        (iterations(2**62, duration_ns=[2**62, 2**62, 1]), "start_ns"),
        (iterations(0, duration_ns=[2**63]), "no column of integers"),
        (iterations(0, duration_ns=7), "no column of integers"),
        (iterations(0, duration_ns="not base64"), "no column of integers"),
        (iterations(0, duration_ns="AQAA"), "no column of integers"),
    ],
)
def test_times_that_cannot_be_are_refused(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        told = RECORD.validate_python(fields)
        assert isinstance(told, Iterations)
        told.steps()


def block(first_step: int, count: int, **more: Any) -> list[dict[str, Any]]:
    """Return ``count`` steps in both types of records that report steps."""
    columns = {name: [1.0] * count for name in ("duration_us", "communication_us", "compute_us", "exposed_us")}
    head = WHOLE | {"first_step": first_step}
    steps = {"type": "steps"} | head | KIND | columns | {"start_ns": [1] * count}
    return [steps | more, iterations(0, duration_ns=[1] * count, blocks=[(0, count, 0)]) | {"first_step": first_step}]


@pytest.mark.parametrize(("first_step", "count"), [(2**31 - 3, 2), (0, MOST_ENTRIES)])
def test_the_last_step_of_a_record_is_one_that_the_tables_can_count(first_step: int, count: int) -> None:
    for told in block(first_step, count):
        assert RECORD.validate_python(told).first_step == first_step
    for told in block(first_step + 1, count + 1):
        with pytest.raises(ValidationError):
            RECORD.validate_python(told)


def test_parts_of_a_step_that_were_not_measured_are_left_out_as_earlier_versions_do() -> None:
    told, _ = block(0, 2)
    text = RECORD.validate_python(told).model_dump_json()
    assert "input_us" not in text and "memory_bytes" not in text
    whole = told | {"input_us": [1.0, 2.0], "memory_bytes": 1 << 40}
    assert RECORD.validate_json(RECORD.validate_python(whole).model_dump_json()) == RECORD.validate_python(whole)
    with pytest.raises(ValidationError, match="one entry per step"):
        RECORD.validate_python(told | {"input_us": [1.0]})


def test_a_name_is_short() -> None:
    told, _ = block(0, 1, op="x" * 101)
    with pytest.raises(ValidationError, match="op"):
        RECORD.validate_python(told)


@pytest.mark.parametrize(
    "odd",
    [{"phase": "p" * 101}, {"chunks": [0] * (MOST_ENTRIES + 1)}, {"into": [2**63]}],
    ids=["phase", "chunks", "into"],
)
def test_a_transfer_says_no_more_than_a_schedule_has(odd: dict[str, Any]) -> None:
    whole = {"type": "trace", "rank": 0, "collective": "all_reduce", "algorithm": "ring", "transport": "mpi"}
    whole |= {"in_place": True, "size_bytes": 8, "dtype": "float32", "started_at_ns": 1, "duration_ns": 9}
    good = TracedTransfer(True, 1, 0, "reduce_scatter", (0,), (0,), True, 8, 1, 2, 3, None, 4, None)
    transfers = [list(good), list(good._replace(**odd))]
    told = RECORD.validate_python(whole | {"transfers": transfers[:1]})
    assert isinstance(told, Trace) and len(told.transfers) == 1
    with pytest.raises(ValidationError, match=r"transfers\.1"):
        RECORD.validate_python(whole | {"transfers": transfers})


def test_a_column_of_nonsense_has_one_finding() -> None:
    told, _ = block(0, 1, start_ns=["x"] * MOST_ENTRIES)
    with pytest.raises(ValidationError) as found:
        RECORD.validate_python(told)
    assert found.value.error_count() == 1


def test_what_a_rank_says_is_cut_and_not_refused() -> None:
    text = "x" * 10_000
    line = Log(rank=0, stream="stdout", time_ns=0, text=text)
    end = Failure(rank=0, reason="rank_exit", message=text)
    assert line.text == end.message == text[:8_191] + "…"
