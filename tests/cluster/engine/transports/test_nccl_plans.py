"""An NCCL plan compiles its kernels before its calls, and looks for peers that have ended while they last."""

import pytest
from tests.cluster.engine.transports.test_nccl import FLOAT32, buffers, calls, planned

from ringscope.engine.errors import EngineError, LostRankError
from ringscope.engine.vendors.nccl_link import load_nccl
from ringscope.schedules.algorithms import build


def test_a_peer_whose_process_has_ended_is_named_before_the_timeout(cupy, nccl):
    looks = []
    one = nccl(0, 3, ended=lambda: looks.append(1) or [2])
    plan = one.plan(build("ring", 3, 6), "sum", *buffers(cupy, 6))
    cupy.fake.stuck_from = cupy.fake.events + 1
    with pytest.raises(
        LostRankError, match=r"^Rank 0 lost rank 2 in step 2 of 4 \(with ranks 1, 2\): its process"
    ) as lost:
        plan.run()
    assert lost.value.peer == 2
    assert len(looks) == 2, "one look may come before the peer's last work"
    assert cupy.fake.names()[-1] == "abort"
    with pytest.raises(EngineError, match=r"The communicator was aborted\. Call rebuild\(\) on every rank"):
        plan.run()


def test_peers_that_run_end_nothing(cupy, nccl):
    plan = nccl(0, 2, ended=list).plan(build("ring", 2, 4), "sum", *buffers(cupy, 4))
    cupy.fake.stuck_from = cupy.fake.events
    with pytest.raises(EngineError, match=r"^nccl: rank 0 waited 0.2 s in step 1 of 2"):
        plan.run()


# kernels are compiled with the plan, not while peers wait


@pytest.mark.parametrize("op", ["sum", "avg"])
def test_a_call_compiles_nothing(cupy, nccl, op):
    plan, _, _ = planned(cupy, nccl, rank=0, size=2, count=4, op=op)
    cupy.fake.compiler_fault = RuntimeError("compiled in a call")
    cupy.ElementwiseKernel = None
    plan.run()
    plan.run()
    assert cupy.fake.names().count("add") == 2


@pytest.mark.parametrize(
    "fault", [RuntimeError("Failed to find\n CUDA headers"), OSError(28, "No space left on device"), ValueError()]
)
def test_a_kernel_that_cannot_be_compiled_is_one_sentence(cupy, nccl, fault):
    cupy.fake.compiler_fault = fault
    with pytest.raises(
        EngineError, match=r"^device: the kernel add for float32 cannot be compiled for this GPU \(.+\); pip .*cpu\.$"
    ):
        planned(cupy, nccl, rank=0, size=2, count=4)


# several executions are enqueued before one wait


@pytest.mark.parametrize("algorithm", ["ring", "nccl"])
def test_enqueued_executions_are_the_same_calls_without_a_wait(cupy, nccl, algorithm):
    one = nccl(0, 2)
    send, recv = buffers(cupy, 4)
    if algorithm == "nccl":
        plan = one.vendor_plan("all_reduce", "sum", send, recv, 0)
    else:
        plan = one.plan(build(algorithm, 2, 4), "sum", send, recv)
    cupy.fake.calls.clear()
    plan.run()
    wanted = [call for call in cupy.fake.calls if call[0] != "check_async_error"]
    cupy.fake.calls.clear()
    for _ in range(3):
        plan.enqueue()
    assert cupy.fake.calls == wanted * 3
    plan.wait()
    assert cupy.fake.calls == wanted * 3


def test_a_peer_that_never_comes_is_named_by_the_wait(cupy, nccl):
    plan = nccl(0, 2, ended=list).plan(build("ring", 2, 4), "sum", *buffers(cupy, 4))
    cupy.fake.stuck_from = cupy.fake.events
    plan.enqueue()
    plan.enqueue()
    with pytest.raises(EngineError, match=r"^nccl: rank 0 waited 0.2 s in step 1 of 2"):
        plan.wait()
    with pytest.raises(EngineError, match=r"Call rebuild\(\) on every rank"):
        plan.enqueue()


# NCCL's all-to-all, which CuPy has no name for


@pytest.mark.parametrize("in_place", [False, True])
def test_nccls_own_all_to_all_is_called_where_it_has_one(cupy, nccl, in_place):
    one = nccl(1, 3)
    send, recv = buffers(cupy, 6)
    at, to = send.local.data.ptr, recv.local.data.ptr
    plan = one.vendor_plan("alltoall", "sum", recv if in_place else send, recv, root=0)
    assert plan.function == "ncclAlltoAll"
    cupy.fake.calls.clear()
    plan.run()
    (call,) = [call for call in cupy.fake.calls if call[0] == "ncclAlltoAll"]
    assert call[3:5] == (2, FLOAT32) and call[-1] != 0
    if in_place:  # NCCL would overwrite what it still has to send
        assert call[1] == to and call[2] not in (at, to)
        assert cupy.fake.calls[-1][0] == "copyto"
    else:
        assert call[1:3] == (at, to)
    cupy.fake.refused = {"ncclAlltoAll": 4}
    with pytest.raises(EngineError, match=r"failed in NCCL's alltoall: .*invalid argument\.$"):
        plan.run()


@pytest.mark.parametrize("older", [{"nccl_lacks": {"ncclAlltoAll"}}, {"nccl_version": 23008}])
def test_an_all_to_all_of_an_older_or_another_nccl_is_messages(cupy, nccl, older, monkeypatch):
    for name, value in older.items():
        monkeypatch.setattr(cupy.fake, name, value)
    if "nccl_version" in older:  # the library that ctypes finds is another one than CuPy's
        monkeypatch.setattr(load_nccl(), "get_version", lambda: 23007)
    plan = nccl(1, 3).vendor_plan("alltoall", "sum", *buffers(cupy, 6), root=0)
    assert plan.function == "ncclSend, ncclRecv"
    cupy.fake.calls.clear()
    plan.run()
    assert [call[0] for call in calls(cupy)] == ["groupStart", *["send", "recv"] * 2, "groupEnd"]
