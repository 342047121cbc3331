"""The exit hook ends all ranks when one rank's program fails."""

import sys
from collections.abc import Callable

import pytest

from ringscope.engine import exit_hook
from ringscope.engine.base import EnqueuedPlan, Plan, TraceablePlan
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
    """A failing plan that returns a trace."""

    def trace(self) -> str:
        self.run()
        return "the trace"


class FailingEnqueued(Failing):
    """A failing plan on a GPU's stream."""

    clock = None

    def enqueue(self) -> None:
        self.run()

    def wait(self) -> None:
        self.run()


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets an entry whenever all ranks would be ended."""
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


def test_an_error_in_a_plan_that_is_enqueued_ends_all(ends: list[str]) -> None:
    inner = FailingEnqueued()
    plan = exit_hook.guarded(inner)
    assert isinstance(plan, EnqueuedPlan)
    plan.enqueue()
    plan.wait()
    inner.error = EngineError("a peer did not come.")
    for call in plan.run, plan.enqueue, plan.wait:
        with pytest.raises(EngineError, match="did not come"):
            call()
    assert ends == ["all"] * 3


def test_what_a_library_refused_before_anything_started_does_not(ends: list[str]) -> None:
    inner = Failing()
    plan: Plan = exit_hook.guarded(inner)
    assert not isinstance(plan, TraceablePlan)
    inner.error = RefusedError("a wrong argument.")
    with pytest.raises(RefusedError):
        plan.run()
    assert ends == []


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """Return a list of the functions that were registered for the program's end."""
    registered: list[Callable[[], None]] = []
    monkeypatch.setattr(exit_hook.atexit, "register", registered.append)
    monkeypatch.setattr(exit_hook, "_failed", [])
    return registered


def test_an_exception_that_nobody_catches_is_shown_and_ends_all(
    ends: list[str], calls: list[Callable[[], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: shown.append(error))
    exit_hook.end_all_on_failure()
    exit_hook.at_end(lambda: ends.append("the last call"), 0)
    error = ValueError("a bad batch")
    sys.excepthook(ValueError, error, None)
    assert (shown, ends) == ([error], ["all"])
    calls[0]()
    assert ends == ["all"], "the ranks are out of step, so that no call can follow"


def test_an_error_at_the_end_is_told_and_ends_all(
    calls: list[Callable[[], None]], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    aborted: list[int] = []
    monkeypatch.setattr(exit_hook, "abort", aborted.append)

    def fail() -> None:
        raise EngineError("Rank 0 has ended.")

    exit_hook.at_end(fail, 1)
    calls[0]()
    assert (capsys.readouterr().err, aborted) == ("rank 1: Rank 0 has ended.\n", [1])
