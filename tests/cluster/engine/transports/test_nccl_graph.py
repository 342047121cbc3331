"""Plans over NCCL as CUDA graphs, on the recorded fake; gpu_main.py launches them between real ranks."""

import pytest

from ringscope.engine import exit_hook
from ringscope.engine.base import Buffer
from ringscope.engine.errors import EngineError
from ringscope.schedules.algorithms import build


@pytest.mark.parametrize("algorithm", ["ring", "nccl"])
def test_a_graph_has_the_calls_of_its_plan_and_is_launched_behind_the_callers_stream(
    cupy, nccl, algorithm, monkeypatch
):
    one = nccl(0, 2)
    send, recv = (Buffer(array, (array,)) for array in (cupy.zeros(4, "float32"), cupy.zeros(4, "float32")))
    if algorithm == "nccl":
        plan = one.vendor_plan("all_reduce", "sum", send, recv, 0)
    else:
        plan = one.plan(build(algorithm, 2, 4), "sum", send, recv)
    plan.run()
    cupy.fake.calls.clear()

    def twice():
        plan.enqueue()
        plan.enqueue()

    launch = exit_hook.guarded(plan).capture(twice)
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
    with pytest.raises(EngineError, match=r"^nccl: rank 0 failed in a call: cudaError700\. "):
        launch()
    assert ends, "an error in a launch ends all ranks"
