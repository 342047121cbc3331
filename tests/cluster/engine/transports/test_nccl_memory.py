"""Buffers that NCCL allocates and registers: the calls on the fake library, and what a library without them says."""

import pytest
from tests.engine.fakes.fixture import PYTHONPATH

from ringscope.engine.communicator import Communicator
from ringscope.engine.errors import EngineError, OutOfMemoryError

WAYS = {1: ("ncclCommRegister", "ncclCommDeregister"), 2: ("ncclCommWindowRegister", "ncclCommWindowDeregister")}
LIBRARY = ("ncclMemAlloc", "ncclMemFree", *WAYS[1], *WAYS[2], "destroy", "abort")


def calls(cupy):
    return [call for call in cupy.fake.calls if call[0] in LIBRARY]


@pytest.mark.parametrize(("registration", "suffix"), [(1, "registered"), (2, "symmetric windows")])
def test_buffers_are_allocated_and_registered_and_freed_after_the_communicator(cupy, nccl, registration, suffix):
    one = nccl(0, 2, registration=registration)
    register, deregister = WAYS[registration]
    assert one.name == f"nccl, {suffix}"
    buffer = one.allocate(4096).view("float32")
    assert calls(cupy) == [("ncclMemAlloc", 4096), (register, 4096)]
    assert not cupy.count_nonzero(buffer.local), "what it had before shows in no result"
    one.vendor_plan("all_reduce", "sum", buffer, buffer, 0).run()
    cupy.fake.calls.clear()
    one.free()
    assert calls(cupy) == [(deregister,), ("destroy",), ("ncclMemFree", 4096)]
    one.free = lambda: None


@pytest.mark.parametrize("registration", [1, 2])
def test_a_new_communicator_knows_the_buffers_again(cupy, nccl, registration):
    one = nccl(0, 2, registration=registration)
    buffer = one.allocate(256).view("float32")
    plan = one.vendor_plan("all_reduce", "sum", buffer, buffer, 0)
    cupy.fake.refused = {"allReduce": 5}
    with pytest.raises(EngineError, match="was aborted"):
        plan.run()
    cupy.fake.reset()
    one.rebuild()
    assert calls(cupy) == [(WAYS[registration][0], 256)]
    plan.run()


def test_without_registration_memory_comes_from_cupys_pool(cupy, nccl):
    one = nccl(0, 2)
    one.allocate(4096)
    assert one.name == "nccl" and calls(cupy) == []


@pytest.mark.parametrize(
    ("registration", "name", "sentence"),
    [
        (1, "ncclCommRegister", r"1 needs NCCL's ncclCommRegister, .* 2\.30\.7 .*; install NCCL 2\.19 .* or give 0\."),
        (2, "ncclCommWindowRegister", r"2 needs NCCL's ncclCommWindowRegister, .*; install NCCL 2\.27 .* or give 1\."),
    ],
)
def test_a_library_without_the_function_is_one_sentence(cupy, nccl, registration, name, sentence):
    cupy.fake.nccl_lacks = {name}
    with pytest.raises(EngineError, match=rf"^registration: {sentence}$"):
        nccl(0, 2, registration=registration)


def test_a_buffer_that_nccl_takes_without_registering_it_is_an_error(cupy, nccl):
    one = nccl(1, 2, registration=2)
    cupy.fake.unregistered = True
    with pytest.raises(EngineError, match=r"^registration: NCCL took a buffer of rank 1 without .* is 0; give 0\.$"):
        one.allocate(64)
    cupy.fake.unregistered = False


@pytest.mark.parametrize("name", ["ncclMemAlloc", "ncclCommWindowRegister"])
def test_what_nccl_refuses_is_told_by_its_rank(cupy, nccl, name):
    one = nccl(1, 2, registration=2)
    cupy.fake.refused = {name: 1}
    with pytest.raises(EngineError, match=r"^nccl: rank 1 cannot .* a buffer.* \(NCCL error 1: unhandled cuda error\)"):
        one.allocate(64)


def test_memory_is_asked_for_before_nccl_is(cupy, nccl):
    one = nccl(1, 2, registration=1)
    cupy.fake.free_bytes = 1 << 20
    with pytest.raises(OutOfMemoryError, match=r"^A buffer needs 4 MiB but the GPU has 1 MiB free; lower max_bytes"):
        one.allocate(4 << 20)
    assert calls(cupy) == []


@pytest.mark.parametrize("transport", ["cuda_ipc", "cpu"])
def test_only_nccl_registers(cupy, transport):
    choice = {"device": "cpu"} if transport == "cpu" else {"device": "cuda", "transport": transport}
    with pytest.raises(EngineError, match=r"^registration: only transport nccl, on GPUs, registers buffers; choose"):
        Communicator(**choice, registration=1)


@pytest.mark.long
@pytest.mark.parametrize("registration", ["1", "2"])
def test_every_collective_is_exact_in_registered_memory(gang, registration):
    done = gang(3, "gpu_main.py", "nccl", registration, PYTHONPATH=PYTHONPATH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked 696") == 3
