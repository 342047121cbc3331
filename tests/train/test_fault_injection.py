"""The faults that a rank of training can be given."""

import pytest

from ringscope.train import fault_injection
from ringscope.train.fault_injection import FaultInjection


@pytest.fixture
def slept(monkeypatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(fault_injection.time, "sleep", found.append)
    return found


def test_a_slow_loader_takes_as_long_as_the_quickest_step_computes(slept: list[float]) -> None:
    faults = FaultInjection("slow_input")
    faults.during_input(1)
    for compute_us in (900_000.0, 20_000.0, 30_000.0):
        faults.note(compute_us)
    for _ in range(2):
        faults.during_input(2)
    assert slept == [0.0, 0.01, 0.01]


def test_other_faults_leave_the_loader_alone(slept: list[float]) -> None:
    for fault in ("", "slow", "wrong_element"):
        faults = FaultInjection(fault)
        faults.note(20_000.0)
        faults.during_input(1)
    assert slept == []
