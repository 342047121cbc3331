"""When the end of one rank's program has to be that of all."""

import pytest

from ringscope.engine import exit_hook
from ringscope.engine.base import Plan, TraceablePlan
from ringscope.engine.errors import EngineError, RefusedError


class Failing:
    """A plan."""

    error: EngineError | None = None

    def run(self) -> None:
        if self.error is not None:
            raise self.error

    def free(self) -> None:
        pass


class FailingTraced(Failing):
    """One that tells what it did."""

    def trace(self) -> str:
        self.run()
        return "the trace"


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was registered for the program's end."""
    registered: list[str] = []
    monkeypatch.setattr(exit_hook, "end_all", lambda: registered.append("all"))
    return registered


def test_an_error_in_a_plan_ends_all(ends: list[str]) -> None:
    inner = FailingTraced()
    plan = exit_hook.guarded(inner)
    assert isinstance(plan, TraceablePlan)
    plan.run()
    assert plan.trace() == "the trace"
    inner.error = EngineError("a peer did not come.")
    for call in plan.run, plan.trace:
        with pytest.raises(EngineError, match="did not come"):
            call()
    assert ends == ["all"] * 2


def test_what_a_library_refused_before_anything_started_does_not(ends: list[str]) -> None:
    inner = Failing()
    plan: Plan = exit_hook.guarded(inner)
    assert not isinstance(plan, TraceablePlan)
    inner.error = RefusedError("a wrong argument.")
    with pytest.raises(RefusedError):
        plan.run()
    assert ends == []
