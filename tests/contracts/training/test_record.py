"""Records of a pipeline's step, and the bubble that is computed from them."""

from typing import Any

import pytest
from pydantic import ValidationError

from ringscope.contracts.training.record import Collectives, PipelineStep, measured_bubble


def told(stage: int, start_ns: int = 0, **more: Any) -> PipelineStep:
    """Return a record of one forward of 1 ms and one backward of 2 ms."""
    columns = {"kind": ["forward", "wait", "backward"], "part": [stage] * 3, "micro_batch": [0] * 3}
    times = {"start_us": [0.0, 1000.0, 3000.0], "end_us": [1000.0, 3000.0, 5000.0]}
    head = {"rank": stage, "step": 3, "stage": stage, "replica": 0, "peak_activations": 1, "start_ns": start_ns}
    return PipelineStep.model_validate(head | columns | times | more)


def test_the_bubble_is_what_is_neither_forward_nor_backward_from_the_first_start_to_the_last_end() -> None:
    assert measured_bubble([told(0), told(1)]) == pytest.approx(1 - 6 / 10)
    assert measured_bubble([told(0), told(1, start_ns=1_000_000)]) == pytest.approx(1 - 6 / 12)


def test_steps_that_do_not_belong_together_have_no_bubble() -> None:
    assert measured_bubble([told(0), told(1, step=4)]) is None
    assert measured_bubble([]) is None
    assert measured_bubble([told(0, kind=[], part=[], micro_batch=[], start_us=[], end_us=[])]) is None


def test_every_column_has_an_entry_for_each_activity() -> None:
    with pytest.raises(ValidationError, match="one entry per activity"):
        told(0, part=[0])


def test_every_column_has_an_entry_for_each_class_of_sizes() -> None:
    columns: dict[str, Any] = {"name": ["barrier"], "least_bytes": [0], "calls": [1], "bytes": [0], "time_us": [None]}
    assert Collectives.model_validate({"rank": 0} | columns).calls == [1]
    with pytest.raises(ValidationError, match="one entry per class of sizes"):
        Collectives.model_validate({"rank": 0} | columns | {"calls": []})
