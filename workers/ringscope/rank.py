"""The program of one rank: ``mpiexec -n P python -m ringscope.rank``.

Reads its job from the file named in RINGSCOPE_SPEC, tells what happens to the socket in RINGSCOPE_SOCKET, and
ends with one of the exit codes in ``ringscope.record``.
"""

import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ringscope.environment import bound_cpus, numa_node, take_environment
from ringscope.parent_death import end_with_parent
from ringscope.record import (
    EXIT_BAD_INPUT,
    EXIT_FAILURE,
    EXIT_OK,
    EXIT_VERIFICATION_FAILED,
    FAULT_VARIABLE,
    SOCKET_VARIABLE,
    SPEC_VARIABLE,
    Done,
    Failure,
    Hello,
)
from ringscope.reporter import Reporter
from ringscope.spec import JobSpec, field_errors
from ringscope.transports.base import EngineError, OutOfMemoryError

if TYPE_CHECKING:
    from ringscope.transports.communicator import Communicator


def main() -> int:
    """Run the job; the exit code."""
    end_with_parent()
    # Being told to stop is no error: no handler of Python's, no traceback.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        spec = read_spec(os.environ.get(SPEC_VARIABLE))
        reporter = Reporter(os.environ.get(SOCKET_VARIABLE) or None)
    except ValueError as error:
        return _refuse(str(error), EXIT_BAD_INPUT)
    except OSError as error:
        return _refuse(f"{SOCKET_VARIABLE}: cannot connect to the socket ({error.strerror or error}).", EXIT_FAILURE)
    return _run(spec, reporter, spoil=os.environ.get(FAULT_VARIABLE) == "wrong_element")


def read_spec(path: str | None) -> JobSpec:
    """The job in the JSON file at ``path``; ValueError with a sentence when there is none."""
    if not path:
        raise ValueError(f"{SPEC_VARIABLE} is not set; set it to the path of a file with the job as JSON.")
    try:
        return JobSpec.model_validate_json(Path(path).read_bytes())
    except OSError as error:
        raise ValueError(f"{SPEC_VARIABLE}: cannot read {path}: {error.strerror}.") from error
    except ValidationError as error:
        raise ValueError(" ".join(found.detail for found in field_errors(error))) from error


def _refuse(sentence: str, exit_code: int) -> int:
    sys.stderr.write(sentence + "\n")
    return exit_code


def _run(spec: JobSpec, reporter: Reporter, spoil: bool) -> int:
    try:  # late, so that a bad spec is told without MPI, and MPI's own absence in one line
        from ringscope.transports.communicator import Communicator
        from ringscope.transports.mpi import abort, world_rank
    except (ImportError, RuntimeError) as error:
        return _refuse(f"MPI cannot be loaded ({error}); install the worker extra of ringscope.", EXIT_BAD_INPUT)
    try:
        benchmark = spec.benchmark
        comm = Communicator(benchmark.transport, benchmark.timeout_seconds, benchmark.settled_device)
        return _benchmark(comm, spec, reporter, spoil and comm.rank == 0)
    except Exception as error:  # whatever it was: peers would wait for this rank for ever
        reporter.send(_failure(world_rank(), error))
        reporter.close()
        _refuse(f"rank {world_rank()}: {error}", EXIT_FAILURE)
        sys.stderr.flush()
        abort(EXIT_FAILURE)
        return EXIT_FAILURE


def _failure(rank: int, error: Exception) -> Failure:
    match error:
        case OutOfMemoryError() | MemoryError():
            return Failure(rank=rank, reason="oom", message=str(error) or "The rank ran out of memory.")
        case EngineError():
            return Failure(rank=rank, reason="rank_exit", message=str(error))
    return Failure(rank=rank, reason="rank_exit", message=f"{type(error).__name__}: {error}")


def _benchmark(comm: "Communicator", spec: JobSpec, reporter: Reporter, spoil: bool) -> int:
    from ringscope.bench.sweep import Sweep
    from ringscope.transports.mpi import mpi_versions

    cpus = bound_cpus()
    hello = Hello(
        rank=comm.rank,
        local_rank=comm.local_rank,
        ranks=comm.size,
        pid=os.getpid(),
        host=socket.gethostname(),
        device=str(comm.gpu or "cpu"),
        cpus=cpus,
        numa_node=numa_node(cpus),
        time_ns=time.time_ns(),
    )
    reporter.send(hello)
    if comm.local_rank == 0:
        here = next(ranks for ranks in comm.nodes if comm.rank in ranks)
        reporter.send(take_environment(comm.rank, here, mpi_versions(), os.environ))
    if comm.size != spec.placement.ranks:
        message = (
            f"placement.ranks: the job asks for {spec.placement.ranks} ranks but {comm.size} were started; "
            f"start it with mpiexec -n {spec.placement.ranks}."
        )
        reporter.send(Failure(rank=comm.rank, reason="rank_exit", message=message))
        reporter.close()
        return _refuse(message, EXIT_BAD_INPUT)
    wrong = Sweep(comm, spec.benchmark, reporter.send, spoil).run()
    if wrong and comm.rank == 0:
        message = f"The result check found {wrong} wrong elements over all sizes, algorithms and ranks."
        reporter.send(Failure(rank=0, reason="verification_failed", message=message))
    reporter.close(Done(rank=comm.rank, dropped=0))
    comm.free()
    return EXIT_VERIFICATION_FAILED if wrong else EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
