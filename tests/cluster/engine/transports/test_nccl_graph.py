"""Plans over NCCL as CUDA graphs, on the recorded fake; gpu_main.py launches them between real ranks."""

import pytest
from tests.cluster.engine.transports.test_nccl import buffers

from ringscope.engine import exit_hook
from ringscope.engine.errors import EngineError
from ringscope.schedules.algorithms import build


def planned(cupy, one, algorithm):
    """Return a plan of two ranks that has run once, as before a capture."""
    send, recv = buffers(cupy, 4)
    if algorithm == "nccl":
        plan = one.vendor_plan("all_reduce", "sum", send, recv, 0)
    else:
        plan = one.plan(build(algorithm, 2, 4), "sum", send, recv)
    plan.run()
    cupy.fake.calls.clear()
    return plan


def captured(plan, algorithm):
    """Return the launch of two operations as one graph."""

    def twice():
        plan.enqueue()
        plan.enqueue()

    return plan.capture(twice, f"2 operations of {algorithm}")


@pytest.mark.parametrize("algorithm", ["ring", "nccl"])
def test_a_graph_has_the_calls_of_its_plan_and_is_launched_behind_the_callers_stream(
    cupy, nccl, algorithm, monkeypatch
):
    plan = planned(cupy, nccl(0, 2), algorithm)
    launch = captured(exit_hook.guarded(plan), algorithm)
    names = cupy.fake.names()
    assert (names[0], names[-1]) == ("begin_capture", "end_capture")
    assert names.count("add" if algorithm == "ring" else "allReduce") == 2
    assert not {"record", "wait_event"}.intersection(names), "CUDA allows neither inside"
    cupy.fake.calls.clear()
    launch()
    plan.wait()
    assert cupy.fake.names()[:3] == ["record", "wait_event", "launch"]
    cupy.fake.status = 700
    ends: list[None] = []
    monkeypatch.setattr(exit_hook, "end_all", lambda: ends.append(None))
    sentence = rf"^nccl: rank 0 failed in {unknown_step(algorithm)}: cudaError700\. "
    with pytest.raises(EngineError, match=sentence):
        launch()
    assert ends, "an error in a launch ends all ranks"


def unknown_step(algorithm):
    return rf"an unknown step of a CUDA graph of 2 operations of {algorithm} \(run again without -G to see it\)"


class RefusedOnce(dict):
    """A call of NCCL that fails once, at its ``at``-th time from now on."""

    def __init__(self, name, status, at):
        super().__init__({name: status})
        self._left = at

    def __contains__(self, name):
        self._left -= super().__contains__(name)
        return super().__contains__(name) and self._left == 0


@pytest.mark.parametrize(
    ("algorithm", "call", "at", "place"),
    [
        ("ring", "groupEnd", 4, r"step 2 of 2 \(with rank 0\)"),  # of the second operation
        ("ring", "send", 1, r"step 1 of 2 \(with rank 0\)"),
        ("nccl", "allReduce", 2, "NCCL's all_reduce"),
    ],
)
def test_a_capture_that_fails_names_rank_step_and_plan(cupy, nccl, algorithm, call, at, place):
    plan = planned(cupy, nccl(1, 2), algorithm)
    cupy.fake.refused = RefusedOnce(call, 5, at)
    what = rf"the capture of 2 operations of {algorithm} as a CUDA graph: NCCL error 5: invalid usage\."
    with pytest.raises(EngineError, match=rf"^nccl: rank 1 failed in {place} of {what} The communicator was aborted"):
        captured(plan, algorithm)
    assert cupy.fake.captured is None and cupy.fake.names()[-1] == "abort"


def test_a_graph_that_does_not_end_is_named_and_the_next_operation_names_its_step(cupy, nccl):
    plan = planned(cupy, nccl(0, 2), "ring")
    launch = captured(plan, "ring")
    launch()
    plan.wait()
    cupy.fake.async_error = 6
    cupy.fake.stuck_from = -1
    launch()
    sentence = rf"^nccl: rank 0 failed in {unknown_step('ring')}: NCCL error 6: remote process exited"
    with pytest.raises(EngineError, match=sentence):
        plan.wait()
    cupy.fake.async_error = 0
    plan._link.rebuild()
    cupy.fake.stuck_from = cupy.fake.events
    with pytest.raises(EngineError, match=r"^nccl: rank 0 waited 0.2 s in step 1 of 2"):
        plan.run()
