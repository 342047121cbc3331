"""Records that are short on the way, and what they stand for."""

import json
from typing import Any

import pytest

from ringscope.contracts.record import RECORD, Iterations, Steps

SHAPE: dict[str, Any] = {
    "rank": 1, "first_step": 7, "op": "all_reduce", "algorithm": "ring", "transport": "mpi", "in_place": True,
    "bytes": 1000, "bus_factor": 1.5,
}  # fmt: skip


def test_iterations_are_steps_of_nothing_but_communication() -> None:
    told = Iterations(**SHAPE, start_ns=10**9, duration_ns=[20_000, 30_500, 10])
    times_us = [20.0, 30.5, 0.01]
    assert told.steps() == Steps(
        **SHAPE,
        start_ns=[10**9, 10**9 + 20_000, 10**9 + 50_500],
        duration_us=times_us,
        communication_us=times_us,
        compute_us=[0.0] * 3,
        exposed_us=times_us,
    )


def test_a_pause_lies_between_two_iterations() -> None:
    told = Iterations(**SHAPE, start_ns=0, duration_ns=[10, 10, 10], pause_ns=[5, 90, 0])
    assert told.steps().start_ns == [0, 15, 115]


def test_columns_of_integers_travel_as_bytes() -> None:
    told = Iterations(**SHAPE, start_ns=0, duration_ns=[1, 256], pause_ns=None)
    text = told.model_dump_json()
    assert json.loads(text)["duration_ns"] == "AQAAAAAAAAAAAQAAAAAAAA=="
    assert RECORD.validate_json(text) == told


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        ({"start_ns": 0, "duration_ns": [1, 2], "pause_ns": [1]}, "one entry per iteration"),
        ({"start_ns": 0, "duration_ns": [1, -2]}, "not negative"),
        ({"start_ns": 0, "duration_ns": [1], "pause_ns": [-1]}, "not negative"),
        ({"start_ns": 2**62, "duration_ns": [2**62, 2**62, 1]}, "start_ns"),
        ({"start_ns": 0, "duration_ns": [2**63]}, "no column of integers"),
        ({"start_ns": 0, "duration_ns": 7}, "no column of integers"),
        ({"start_ns": 0, "duration_ns": "not base64"}, "no column of integers"),
        ({"start_ns": 0, "duration_ns": "AQAA"}, "no column of integers"),
    ],
)
def test_times_that_cannot_be_are_refused(times: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        told = RECORD.validate_python({"type": "iterations"} | SHAPE | times)
        assert isinstance(told, Iterations)
        told.steps()
