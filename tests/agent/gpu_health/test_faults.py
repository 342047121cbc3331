"""Faults of GPUs are reported in sentences."""

from typing import Any

import pytest

from ringscope.contracts.reading import GpuState
from ringscope_agent.gpu_health import faults


def state(index: int = 3, **fields: Any) -> GpuState:
    return GpuState(index=index, model="NVIDIA H200", **fields)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"is_remap_pending": True},
            "GPU 3 replaces a broken part of its memory only when it is reset; end its jobs and reset it.",
        ),
        ({"has_remap_failed": True}, "GPU 3 could not replace a broken row of its memory; replace the GPU."),
        ({"ecc_uncorrected": 1}, "GPU 3 had a memory error that ECC could not correct; end its jobs and reset it."),
        ({"ecc_uncorrected": 2}, "GPU 3 had 2 memory errors that ECC could not correct; end its jobs and reset it."),
        ({"xids": [31, 79, 79]}, "The driver reported XID 79 of GPU 3: it fell off the bus."),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence(fields: dict[str, Any], sentence: str) -> None:
    assert faults.sentences([state(**fields)]) == [sentence]


def test_a_healthy_gpu_has_none() -> None:
    busy = state(slowed_by=["power_cap", "too_hot"], ecc_corrected=9, ecc_uncorrected=0, rows_remapped=2, xids=[13, 31])
    assert faults.sentences([busy, state(1, is_remap_pending=False, has_remap_failed=False)]) == []


def test_a_gpu_with_fewer_nvlinks_than_its_like_is_named() -> None:
    other = GpuState(index=9, model="NVIDIA L4", nvlinks_up=0)
    told = faults.sentences([state(0, nvlinks_up=18), state(1, nvlinks_up=17), other])
    assert told == ["GPU 1 has 17 active NVLinks, and others of this node have 18."]


def test_a_gpu_that_answers_no_more_is_named() -> None:
    assert faults.lost({0, 1, 2}, [state(0), state(2)]) == ["GPU 1 does not answer any more; restart the node."]
