"""Schedules as NCCL calls, and what happens when NCCL or a peer fails: on the recorded fake, without a GPU."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from tests.engine.fakes.fixture import PYTHONPATH

from ringscope.engine import communicator, exit_hook
from ringscope.engine.base import Buffer, EnqueuedPlan
from ringscope.engine.errors import EngineError
from ringscope.engine.vendors.nccl_link import load_nccl
from ringscope.schedules.algorithms import build

FLOAT32 = 7
CALLS = ("groupStart", "groupEnd", "send", "recv", "add", "ringscope_divide")


def buffers(cupy, count, dtype="float32"):
    return [Buffer(array, (array,)) for array in (cupy.zeros(count, dtype), cupy.zeros(count, dtype))]


def planned(cupy, nccl, rank, size, count, algorithm="ring", op="sum", in_place=False, dtype="float32"):
    """A plan, and its two buffers; the calls so far are forgotten."""
    send, recv = buffers(cupy, count, dtype)
    if in_place:
        send = recv
    plan = nccl(rank, size).plan(build(algorithm, size, count), op, send, recv)
    cupy.fake.calls.clear()
    return plan, send.local, recv.local


def calls(cupy):
    return [call for call in cupy.fake.calls if call[0] in CALLS]


def test_each_step_of_a_ring_is_one_group_and_the_kernel_behind_it(cupy, nccl):
    plan, send, recv = planned(cupy, nccl, rank=1, size=3, count=7)
    plan.run()
    stream = next(call[-1] for call in calls(cupy) if call[0] == "send")
    scratch = next(call[1] for call in calls(cupy) if call[0] == "recv")
    assert stream != 0, "a stream of its own"
    assert scratch not in range(send.data.ptr, send.data.ptr + 28)
    assert scratch not in range(recv.data.ptr, recv.data.ptr + 28)
    assert calls(cupy) == [  # chunks of 7 elements over 3 ranks: 3, 2 and 2 of 4 bytes, at 0, 3 and 5
        ("groupStart",),
        ("recv", scratch, 3, FLOAT32, 0, stream),
        ("send", send.data.ptr + 12, 2, FLOAT32, 2, stream),
        ("groupEnd",),
        ("add", 3, stream),
        ("groupStart",),
        ("recv", scratch, 2, FLOAT32, 0, stream),
        ("send", recv.data.ptr, 3, FLOAT32, 2, stream),
        ("groupEnd",),
        ("add", 2, stream),
        ("groupStart",),
        ("recv", recv.data.ptr + 12, 2, FLOAT32, 0, stream),
        ("send", recv.data.ptr + 20, 2, FLOAT32, 2, stream),
        ("groupEnd",),
        ("groupStart",),
        ("recv", recv.data.ptr, 3, FLOAT32, 0, stream),
        ("send", recv.data.ptr + 12, 2, FLOAT32, 2, stream),
        ("groupEnd",),
    ]


def test_the_stream_waits_for_the_callers_stream_before_anything_else(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=0, size=2, count=2)
    plan.run()
    (record, ready, on), (wait, awaited, stream), *rest = cupy.fake.calls
    assert (record, wait) == ("record", "wait_event")
    assert ready == awaited
    assert on == 0, "the event is recorded on the current stream"
    assert {call[-1] for call in rest if call[0] in ("send", "recv", "add", "record")} == {stream}


def test_a_mean_is_divided_once_at_the_end(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=0, size=2, count=4, op="avg")
    plan.run()
    names = [call[0] for call in calls(cupy)]
    assert names.count("ringscope_divide") == 1
    assert names[-1] == "ringscope_divide"


def test_a_rank_takes_no_part_in_steps_without_it(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=2, size=3, count=2, algorithm="naive")
    plan.run()
    names = [call[0] for call in calls(cupy)]
    assert names == ["groupStart", "send", "groupEnd", "groupStart", "recv", "groupEnd"]


@pytest.mark.parametrize(
    ("dtype", "number", "factor"),
    [
        *(("int8", 0, 1), ("uint8", 1, 1), ("int32", 2, 1), ("uint32", 3, 1), ("int64", 4, 1), ("uint64", 5, 1)),
        *(("float16", 6, 1), ("float64", 8, 1), ("bfloat16", 9, 1), ("complex64", 7, 2), ("complex128", 8, 2)),
    ],
)
def test_every_dtype_goes_by_nccls_number(cupy, nccl, dtype, number, factor):
    pytest.importorskip("ml_dtypes")
    plan, _, _ = planned(cupy, nccl, rank=0, size=2, count=6, dtype=dtype)
    plan.run()
    assert {call[2:4] for call in calls(cupy) if call[0] == "send"} == {(3 * factor, number)}


@pytest.mark.parametrize("dtype", ["int16", "bool"])
def test_what_nccl_cannot_carry_is_refused(cupy, nccl, dtype):
    with pytest.raises(EngineError, match=f"^dtype: NCCL does not support {dtype}; choose one of int8, .*"):
        planned(cupy, nccl, rank=0, size=2, count=6, dtype=dtype)


# NCCL's own collectives


def test_the_vendor_is_called_with_the_layout_of_the_buffers(cupy, nccl):
    one = nccl(1, 3)
    send, recv = buffers(cupy, 6)
    at, to = send.local.data.ptr, recv.local.data.ptr
    want = {
        "all_reduce": ("allReduce", at, to, 6, FLOAT32, 0),
        "reduce": ("reduce", at, to, 6, FLOAT32, 0, 2),
        "broadcast": ("broadcast", at, to, 6, FLOAT32, 2),
        "reduce_scatter": ("reduceScatter", at, to + 8, 2, FLOAT32, 0),
        "all_gather": ("allGather", at + 8, to, 2, FLOAT32),
    }
    for collective, call in want.items():
        cupy.fake.calls.clear()
        one.vendor_plan(collective, "sum", send, recv, root=2).run()
        assert [found[:-1] for found in cupy.fake.calls if found[0] == call[0]] == [call]


def test_the_vendor_needs_even_parts(cupy, nccl):
    one = nccl(0, 3)
    with pytest.raises(EngineError, match=r"^count: 7 elements cannot be split evenly over 3 ranks; give a multiple"):
        one.vendor_plan("all_gather", "sum", *buffers(cupy, 7), root=0)


# when something fails


def test_a_refusal_inside_a_group_ends_the_group_and_the_communicator(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=1, size=2, count=4)
    cupy.fake.refused = {"send": 5}
    with pytest.raises(EngineError, match=r"^nccl: rank 1 failed in step 1 of 2 \(with rank 0\): .*usage.* abort"):
        plan.run()
    names = cupy.fake.names()
    assert names.count("groupStart") == names.count("groupEnd") == 1
    assert not load_nccl().is_grouped()
    assert names[-1] == "abort"


def test_an_error_at_the_end_of_a_group_ends_the_communicator(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=0, size=2, count=4)
    cupy.fake.refused = {"groupEnd": 4}
    with pytest.raises(EngineError, match="failed in step 1 of 2"):
        plan.run()
    assert cupy.fake.names()[-1] == "abort"


def test_an_invalid_argument_before_anything_started_leaves_the_communicator_usable(cupy, nccl):
    one = nccl(0, 2)
    plan = one.vendor_plan("all_reduce", "sum", *buffers(cupy, 4), root=0)
    cupy.fake.refused = {"allReduce": 4}
    with pytest.raises(EngineError, match=r"failed in NCCL's all_reduce: .*invalid argument\.$"):
        plan.run()
    cupy.fake.refused = {}
    plan.run()
    assert "abort" not in cupy.fake.names()


def test_a_lost_peer_shows_in_the_asynchronous_error(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=0, size=3, count=6)
    cupy.fake.stuck_from, cupy.fake.async_error = cupy.fake.events + 1, 6
    with pytest.raises(
        EngineError,
        match=r"^nccl: rank 0 failed in step 2 of 4 \(with ranks 1, 2\): .*process exited\. The communicator was abort",
    ):
        plan.run()
    assert cupy.fake.names()[-3:] == ["check_async_error", "use", "abort"], "the abort's thread is on the rank's GPU"


def test_a_peer_that_never_comes_ends_in_a_timeout_that_names_the_step(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=2, size=3, count=6)
    cupy.fake.stuck_from = cupy.fake.events + 2
    with pytest.raises(EngineError, match=r"^nccl: rank 2 waited 0\.2 s in step 3 of 4 \(with ranks 0, 1\); a peer"):
        plan.run()
    assert cupy.fake.names().count("abort") == 1


@pytest.mark.parametrize("blocking", ["recv", "allReduce"])
def test_a_call_that_blocks_while_it_enqueues_is_left_to_the_watchdog(cupy, nccl, blocking):
    one = nccl(0, 2)
    send, recv = buffers(cupy, 4)
    if blocking == "recv":
        plan = one.plan(build("ring", 2, 4), "sum", send, recv)
    else:
        plan = one.vendor_plan("all_reduce", "sum", send, recv, 0)
    cupy.fake.blocks_in = blocking
    plan.run()  # the bite lets it go on
    assert cupy.fake.goes_on.is_set()
    assert "abort" not in cupy.fake.names(), "NCCL forbids it while a call is in the communicator"


def test_an_abort_that_waits_for_other_ranks_delays_the_sentence_only_for_a_while(cupy, nccl):
    one = nccl(0, 2)
    plan = one.plan(build("ring", 2, 4), "sum", *buffers(cupy, 4))
    cupy.fake.stuck_from, cupy.fake.blocks_in = cupy.fake.events, "abort"
    with pytest.raises(EngineError, match=r"^nccl: rank 0 waited 0.2 s in step 1 .* The communicator is being abort"):
        plan.run()
    with pytest.raises(EngineError, match=r"^nccl: rank 0 waited 0.2 s for all ranks to rebuild; start the job again"):
        one.rebuild()
    cupy.fake.goes_on.set()
    one.rebuild()
    assert cupy.fake.names().count("abort") == 1
    plan.run()


def test_a_gpu_that_has_failed_is_told_at_once_and_no_peer_is_blamed(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=1, size=2, count=4)
    cupy.fake.status = 700
    with pytest.raises(EngineError, match=r"^nccl: rank 1 failed in a call: cudaError700\."):
        plan.run()


def test_a_gpu_that_fails_while_it_is_awaited_is_told_at_once(cupy, nccl):
    one = nccl(1, 2)
    plan = one.vendor_plan("all_reduce", "sum", *buffers(cupy, 4), root=0)
    link = one._link
    with pytest.raises(EngineError, match=r"^nccl: rank 1 failed in a call: cudaError700\. "):
        link.execute(lambda: setattr(cupy.fake, "status", 700), lambda: "NCCL's all_reduce")
    cupy.fake.status = 0
    with pytest.raises(EngineError, match=r"was aborted\. Call rebuild\(\) on every rank"):
        plan.run()


@pytest.mark.parametrize(("status", "what"), [(2, "NCCL error 2: system error"), (8, "NCCL's status 8, which CuPy")])
def test_a_status_that_cupy_has_no_name_for_is_told_too(cupy, nccl, status, what):
    plan, _, _ = planned(cupy, nccl, rank=0, size=2, count=4)
    cupy.fake.stuck_from, cupy.fake.async_error = cupy.fake.events, status
    with pytest.raises(EngineError, match=rf"^nccl: rank 0 failed in step 1 of 2 \(with rank 1\): {what}"):
        plan.run()


def test_an_operation_in_progress_is_no_error(cupy, nccl):
    plan, _, _ = planned(cupy, nccl, rank=0, size=2, count=4)
    cupy.fake.stuck_from, cupy.fake.async_error = cupy.fake.events, 7
    with pytest.raises(EngineError, match=r"^nccl: rank 0 waited 0.2 s in step 1 of 2"):
        plan.run()


def test_after_an_abort_only_a_rebuild_makes_it_work_again(cupy, nccl):
    one = nccl(0, 2)
    plan = one.plan(build("ring", 2, 4), "sum", *buffers(cupy, 4))
    cupy.fake.refused = {"send": 5}
    with pytest.raises(EngineError):
        plan.run()
    cupy.fake.refused = {}
    with pytest.raises(EngineError, match=r"was aborted\. Call rebuild\(\) on every rank, or start the job again"):
        plan.run()
    one.rebuild()
    cupy.fake.calls.clear()
    plan.run()
    assert [call[0] for call in calls(cupy)].count("send") == 2


def test_a_lost_cuda_context_cannot_be_rebuilt(cupy, nccl, monkeypatch):
    def lost(self):
        raise cupy.cuda.runtime.CUDARuntimeError("IllegalAddress")

    one = nccl(3, 4)
    with monkeypatch.context() as patch, pytest.raises(EngineError, match=r"^nccl: rank 3 lost its GPU \(cudaError"):
        patch.setattr(cupy.cuda.Device, "synchronize", lost)
        one.rebuild()
    one.rebuild()


# on real ranks, whose messages travel over MPI


@pytest.mark.parametrize(
    ("transport", "algorithms", "launches"),
    [
        ("nccl", ["ring", "nccl"], 0),
        pytest.param("nccl", ["ring", "nccl"], 3, marks=pytest.mark.long),
        pytest.param("cuda_ipc", ["ring", "direct"], 0, marks=pytest.mark.long),  # test_cuda_ipc.py has its results
    ],
)
def test_a_sweep_in_gpu_memory_is_exact_and_labelled(tmp_path, transport, algorithms, launches):
    program = "from ringscope.cli.main import main; main()"
    command = [sys.executable, "-c", program, "bench", "all_reduce", "--ranks", "2", "--device", "cuda"]
    choices = ["--transport", transport, "--algorithm", ",".join(algorithms), "-e", "64K", "-f", "32", "-n", "2"]
    choices += ["-G", str(launches)]
    done = subprocess.run(
        [*command, *choices, "--json", str(tmp_path / "rows.json")],
        env=os.environ | {"PYTHONPATH": PYTHONPATH},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads((tmp_path / "rows.json").read_text())
    assert {device["device_info"] for device in document["config"]["devices"]} == {"0 [0000:00:00.0]"}
    rows = document["results"]
    assert [row["algorithm"] for row in rows] == [name for name in algorithms for _ in range(3)]
    assert document["config"]["graph"] == launches
    assert {row["transport"] for row in rows} == {f"{transport}, one-device loopback"}
    times = [row[place] for row in rows for place in ("out_of_place", "in_place")]
    on_device = [told for told in times if "device_time" in told]
    # On a busy machine an operation may take over 10 ms, and then each is waited for, but never those of a graph.
    least = len(times) if launches else int(transport == "nccl")
    assert least <= len(on_device) <= (len(times) if transport == "nccl" else 0)
    assert all(0 < told["device_time"] <= told["time"] for told in on_device)
    reports = {row.get("nccl_report") for row in rows}
    assert reports == {"network Socket; 2 channels, 1 of NVLS; SHM/direct/direct" if transport == "nccl" else None}
    functions = {row["algorithm"]: row.get("library_function") for row in rows}
    assert functions == {name: "ncclAllReduce" if name == "nccl" else None for name in algorithms}
    assert {row[place]["nwrong"] for row in rows for place in ("out_of_place", "in_place")} == {0}


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 3])
def test_the_python_interface_on_gpus(gang, ranks):
    done = gang(ranks, "gpu_api_main.py", "nccl", PYTHONPATH=PYTHONPATH)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("all asserts held") == ranks


def test_a_rank_that_never_calls_ends_in_an_error_and_a_rebuild_goes_on(gang):
    done = gang(2, "../../../gpu/stall_main.py", "nccl", "0.5", PYTHONPATH=PYTHONPATH)
    assert done.stdout.count("all asserts held") == 2, done.stdout + done.stderr


@pytest.fixture
def at_exit(monkeypatch):
    """Return the list of calls that are to be made when the program ends."""
    calls = []
    register, unregister = (lambda *call: calls.append(call)), (lambda function: calls.clear())
    monkeypatch.setattr(exit_hook, "atexit", SimpleNamespace(register=register, unregister=unregister))
    return calls


def test_a_refusal_that_a_program_catches_leaves_its_end_to_the_program(cupy, at_exit):
    comm = communicator.Communicator(device="cuda")
    x = comm.empty(8)
    cupy.fake.refused = {"allReduce": 4}
    with pytest.raises(EngineError, match=r"failed in NCCL's all_reduce: .*invalid argument\.$"):
        comm.all_reduce(x, algorithm="nccl")
    cupy.fake.refused = {}
    comm.all_reduce(x, algorithm="nccl")
    assert at_exit == []
    assert isinstance(comm.plan("nccl", "sum", *[comm.buffer(64).view("float32")] * 2), EnqueuedPlan)
    comm.free()


def test_a_loss_on_gpus_ends_all_ranks_with_the_program(cupy, at_exit):
    comm = communicator.Communicator(device="cuda")
    x = comm.empty(8)
    comm.all_reduce(x, algorithm="nccl")
    assert not at_exit
    cupy.fake.status = 700
    with pytest.raises(EngineError, match=r"^nccl: rank 0 failed in a call: cudaError700"):
        comm.all_reduce(x, algorithm="nccl")
    assert at_exit == [(exit_hook.abort, 1)], "MPI would wait for ranks that are blocked"
    cupy.fake.reset()
    with pytest.raises(EngineError, match=r"was aborted\. Call rebuild\(\) on every rank"):
        comm.all_reduce(x, algorithm="nccl")
    comm.rebuild()
    comm.all_reduce(x, algorithm="nccl")
    assert at_exit == [], "the ranks are in step again"
    comm.free()


def test_where_nothing_was_given_up_nothing_is_rebuilt():
    comm = communicator.Communicator("mpi", device="cpu")
    with pytest.raises(EngineError, match=r"^rebuild: transport mpi cannot reconnect; start the job again\.$"):
        comm.rebuild()
    comm.free()


@pytest.mark.long
@pytest.mark.parametrize(
    ("ranks", "lacking"),
    [*(pytest.param(n, "", marks=pytest.mark.long) for n in (1, 2, 4)), (3, ""), (3, "ncclAlltoAll")],
)
def test_every_collective_is_exact(gang, ranks, lacking):
    done = gang(ranks, "gpu_main.py", "nccl", PYTHONPATH=PYTHONPATH, FAKE_NCCL_LACKS=lacking)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("checked 696") == ranks
