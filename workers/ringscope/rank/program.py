"""The program of one rank: ``mpiexec -n P python -m ringscope.rank``.

A simulation is one process: ``python -m ringscope.rank``, under mpiexec or not.
Reads its job from the file named in RINGSCOPE_SPEC, reports to the socket in RINGSCOPE_SOCKET, and
ends with one of the exit codes in ``ringscope.contracts.record``.
"""

import gc
import os
import signal
import socket
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ringscope.choice.tuning_file import read
from ringscope.contracts.diagnosis.spec import DiagnosisSpec, preflight_spec
from ringscope.contracts.errors import UserError
from ringscope.contracts.findings import field_errors
from ringscope.contracts.job import JobSpec
from ringscope.contracts.rank_process import (
    EXIT_BAD_INPUT,
    EXIT_FAILURE,
    EXIT_OK,
    EXIT_VERIFICATION_FAILED,
    FAULT_VARIABLE,
    POSITIONS_VARIABLE,
    SCRIPTS_VARIABLE,
    SOCKET_VARIABLE,
    SPEC_VARIABLE,
    STACKS_VARIABLE,
    STEPS_VARIABLE,
    TUNING_VARIABLE,
)
from ringscope.contracts.record import Done, Failure, Hello, Log, Started
from ringscope.contracts.training import TrainingSpec
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.devices import SIMULATED
from ringscope.contracts.words.units import plural
from ringscope.engine import positions
from ringscope.engine.base import DEFAULT_TIMEOUT_SECONDS
from ringscope.engine.errors import (
    DifferenceError,
    DivergedError,
    EngineError,
    LostConnectionError,
    LostRankError,
    OutOfMemoryError,
    UnfitNodeError,
)
from ringscope.engine.waiting.library_errors import naming_lost_ranks
from ringscope.rank.environment import Standing, introduce
from ringscope.rank.parent_death import end_with_parent
from ringscope.rank.reporter import Reporter
from ringscope.rank.stacks import answer

if TYPE_CHECKING:
    from types import ModuleType

    from ringscope.engine.communicator import Communicator
    from ringscope.engine.step_ring import StepRing


_LEAVE_SECONDS = 1.0  # the other ranks report meanwhile what they have
_END_SECONDS = 30.0


def main() -> int:
    """Run the job and return the exit code."""
    end_with_parent()
    # A request to stop is not an error: no Python handler, no traceback.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        spec = read_spec(os.environ.get(SPEC_VARIABLE))
        reporter = Reporter(os.environ.get(SOCKET_VARIABLE) or None)
    except ValueError as error:
        return _refuse(str(error), EXIT_BAD_INPUT)
    except OSError as error:
        return _refuse(f"{SOCKET_VARIABLE}: cannot connect to the socket ({error.strerror or error}).", EXIT_FAILURE)
    if spec.is_simulated:
        return _simulate(spec, reporter)
    code = _run(spec, reporter, os.environ.get(FAULT_VARIABLE, ""))
    # The interpreter collects garbage at its end. With PyTorch's million objects that takes a core 0.5 s for each rank.
    gc.freeze()
    return code


def read_spec(path: str | None) -> JobSpec:
    """Return the job in the JSON file at ``path``; ValueError with a sentence if there is none."""
    if not path:
        raise ValueError(f"{SPEC_VARIABLE} is not set; set it to the path of a file with the job as JSON.")
    try:
        return JobSpec.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise ValueError(f"{SPEC_VARIABLE}: cannot read {path}: {error.strerror}.") from error
    except ValidationError as error:
        raise ValueError(" ".join(found.detail for found in field_errors(error))) from error


def known_times() -> Table:
    """Read the measured times from the file that RINGSCOPE_TUNING names; empty without one."""
    path = os.environ.get(TUNING_VARIABLE)
    return read(Path(path)) if path else Table()


def _refuse(sentence: str, exit_code: int) -> int:
    sys.stderr.write(sentence + "\n")
    return exit_code


def _simulate(spec: JobSpec, reporter: Reporter) -> int:
    """Run a simulation, which is one process without MPI: rank 0 of a gang of one, however it was started."""
    from ringscope.bench.simulation import simulated_records

    now_ns = time.time_ns()
    device = f"none: {SIMULATED}"
    hello = Hello(
        rank=0, local_rank=0, ranks=1, pid=os.getpid(), host=socket.gethostname(), device=device, time_ns=now_ns
    )
    reporter.send(hello)
    try:
        for record in simulated_records(spec.sweep, now_ns):
            reporter.send(record)
            reporter.flush()  # nothing is timed here, so waiting for the listener distorts nothing
    except Exception as error:
        reporter.send(_failure(0, error))
        reporter.close()
        return _refuse(f"rank 0: {error}", EXIT_FAILURE)
    reporter.close(Done(rank=0, dropped=0))
    return EXIT_OK


def _run(spec: JobSpec, reporter: Reporter, fault: str) -> int:
    position = positions.slot_before_mpi(os.environ.get(POSITIONS_VARIABLE))
    position[positions.LOAD_SECONDS] = spec.load_seconds
    positions.set_stage(position, "loading MPI")
    try:  # imported late, so that a bad spec is reported without MPI, and a missing MPI in one line
        from ringscope.engine.communicator import Communicator
        from ringscope.engine.transports.mpi import abort, world_rank
    except (ImportError, RuntimeError) as error:
        return _refuse(f"MPI cannot be loaded ({error}); install the worker extra of ringscope.", EXIT_BAD_INPUT)

    def give_up(error: Exception) -> None:
        reporter.send(_failure(world_rank(), error))
        reporter.close()
        _refuse(f"rank {world_rank()}: {error}", EXIT_FAILURE)
        sys.stderr.flush()
        if isinstance(error, LostRankError | LostConnectionError):
            # The other ranks will do the same, because they miss it too; an abort would hide how the lost rank ended.
            os._exit(EXIT_FAILURE)
        abort(EXIT_FAILURE)

    try:
        answer(os.environ.get(STACKS_VARIABLE), world_rank())
        reporter.send(Started(rank=world_rank(), pid=os.getpid(), time_ns=time.time_ns()))
        if spec.training or spec.strategy_search:
            positions.set_stage(position, "importing torch")
        device = _device(spec)
        positions.set_stage(position, "connecting the ranks")
        if spec.diagnosis:
            return _diagnose(spec.diagnosis, spec.placement.ranks, reporter)
        transport, timeout_seconds = _connection(spec)
        registration = spec.benchmark.registration if spec.benchmark else 0
        comm = Communicator(
            *(transport, timeout_seconds, device, known_times, give_up),
            channels=_channels(spec),
            registration=registration,
            reports=spec.benchmark is not None,
        )
        return _work(comm, spec, reporter, fault if _strikes(fault, comm) else "")
    except Exception as error:  # for any error: peers would otherwise wait for this rank for ever
        give_up(error)
        return EXIT_FAILURE


def _connection(spec: JobSpec) -> tuple[str, float]:
    """Return transport and timeout, which a script does not set."""
    work = spec.benchmark or _trained(spec)
    return (work.transport, work.timeout_seconds) if work else ("auto", DEFAULT_TIMEOUT_SECONDS)


def _channels(spec: JobSpec) -> int | None:
    return spec.benchmark.channels if spec.benchmark else None


def _device(spec: JobSpec) -> str:
    training = _trained(spec)
    return _training().wanted_device(training) if training else spec.settled_device


def _trained(spec: JobSpec) -> TrainingSpec | None:
    """Return the training of the job; in a search, what all of its candidates have in common."""
    return spec.strategy_search.training() if spec.strategy_search else spec.training


def _training() -> "ModuleType":
    """Import the training package, which needs PyTorch; other jobs do not."""
    try:
        import_module("torch")
    except ImportError as error:
        raise EngineError(
            f"training needs PyTorch, which cannot be imported ({error}); pip install 'ringscope[train]' on every node."
        ) from error
    from ringscope.train import program

    return program


def _strikes(fault: str, comm: "Communicator") -> bool:
    """Return whether the fault is injected on this rank."""
    last = comm.size - 1
    return {"wrong_element": 0, "deadlock": last, "slow": last, "slow_input": last}.get(fault) == comm.rank


def _failure(rank: int, error: Exception) -> Failure:
    match error:
        case OutOfMemoryError() | MemoryError():
            return Failure(rank=rank, reason="oom", message=str(error) or "The rank ran out of memory.")
        case LostRankError():
            return Failure(rank=rank, reason="rank_exit", message=str(error), lost_rank=error.peer)
        case LostConnectionError():
            return Failure(rank=rank, reason="rank_exit", message=str(error), is_hearsay=True)
        case DifferenceError():
            bad_rank = rank if error.bad_rank is None else error.bad_rank
            return Failure(rank=bad_rank, reason="verification_failed", message=str(error))
        case UnfitNodeError():
            return Failure(rank=rank, reason="preflight_failed", message=str(error))
        case DivergedError():
            return Failure(rank=rank, reason="diverged", message=str(error))
        case EngineError() | UserError():
            return Failure(rank=rank, reason="rank_exit", message=str(error))
    return Failure(rank=rank, reason="rank_exit", message=f"{type(error).__name__}: {error}")


def _work(comm: "Communicator", spec: JobSpec, reporter: Reporter, fault: str) -> int:
    here = next(ranks for ranks in comm.nodes if comm.rank in ranks)
    introduce(Standing(comm.rank, comm.size, comm.local_rank, here, str(comm.gpu or "cpu")), reporter)
    if comm.size != spec.placement.ranks:
        return _refuse_size(comm.rank, comm.size, spec.placement.ranks, reporter)
    if (wanted := preflight_spec(spec.placement.preflight)) is not None:
        from ringscope.bench.pairs.preflight import preflight

        positions.set_stage(comm.position, "checking its nodes")
        preflight(comm, wanted, reporter.send)
    with naming_lost_ranks(comm):
        wrong = _result(comm, spec, reporter, fault)
    if wrong is not None and comm.rank == 0:
        reporter.send(_failure(0, wrong))
    comm.finish()
    reporter.close(Done(rank=comm.rank, dropped=0))
    comm.free()
    return EXIT_OK if wrong is None else EXIT_VERIFICATION_FAILED


def _result(comm: "Communicator", spec: JobSpec, reporter: Reporter, fault: str) -> DifferenceError | None:
    """Run the job's work; return what is wrong with its result, equal on every rank, or None."""
    if spec.training:
        wrong: DifferenceError | None = _training().train(comm, spec.training, reporter.send, fault)
        return wrong
    if spec.strategy_search:
        _training()
        from ringscope.train.search.job import search

        search(comm, spec.strategy_search, reporter.send)
        return None
    if spec.script:
        from ringscope.rank.script import run_script

        positions.set_stage(comm.position, "")
        run_script(comm, spec.script, os.environ.get(SCRIPTS_VARIABLE), reporter.send)
        return None
    from ringscope.bench.sweep import Sweep

    count = Sweep(comm, spec.sweep, reporter.send, fault, _ring(comm, reporter)).run()
    if not count:
        return None
    return DifferenceError(
        f"The result check found {plural(count, 'wrong element')} over all sizes, algorithms and ranks."
    )


def _diagnose(diagnosis: DiagnosisSpec, ranks: int, reporter: Reporter) -> int:
    """Measure the links between nodes; no rank waits for those that it cannot reach."""
    from ringscope.bench.pairs.job import diagnose
    from ringscope.engine.world_post import WorldPost, end_in_time

    post = WorldPost()
    introduce(Standing(post.rank, post.size, post.here.index(post.rank), post.here), reporter)
    if post.size != ranks:
        return _refuse_size(post.rank, post.size, ranks, reporter)
    positions.set_stage(post.position, "")
    if not diagnose(post, diagnosis, reporter.send):
        _leave(post.rank, reporter)
    reporter.close(Done(rank=post.rank, dropped=0))
    end_in_time()
    return EXIT_OK


def _refuse_size(rank: int, started: int, wanted: int, reporter: Reporter) -> int:
    message = (
        f"placement.ranks: the job asks for {wanted} ranks but {started} were started; "
        f"start it with mpiexec -n {wanted}."
    )
    reporter.send(Failure(rank=rank, reason="rank_exit", message=message))
    reporter.close()
    return _refuse(message, EXIT_BAD_INPUT)


def _leave(rank: int, reporter: Reporter) -> None:
    """End although messages to a silent rank are under way, for which MPI would wait; rank 0 ends all others."""
    from ringscope.engine.transports.mpi import abort

    reporter.close(Done(rank=rank, dropped=0))
    time.sleep(_LEAVE_SECONDS if rank == 0 else _END_SECONDS)
    abort(EXIT_FAILURE)


def _ring(comm: "Communicator", reporter: Reporter) -> "StepRing | None":
    """Open the memory in which this rank records its steps; None if that fails, because results are useful without
    it.
    """
    from ringscope.engine.step_ring import StepRing

    try:
        return StepRing.opened(os.environ.get(STEPS_VARIABLE), comm.rank)
    except OSError as error:
        text = (
            f"{STEPS_VARIABLE}: cannot map the memory for steps ({error.strerror or error}); no steps will be stored."
        )
        reporter.send(Log(rank=comm.rank, stream="stderr", time_ns=time.time_ns(), text=text))
        return None
