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
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

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
    # Imported late: a bad spec is told without MPI, and so is MPI's own absence.
    try:
        from ringscope.transports.base import EngineError
        from ringscope.transports.communicator import Communicator
    except (ImportError, RuntimeError) as error:
        return _refuse(f"MPI cannot be loaded ({error}); install the worker extra of ringscope.", EXIT_BAD_INPUT)
    comm: Communicator | None = None
    try:
        comm = Communicator(spec.benchmark.transport)
        return _benchmark(comm, spec, reporter, spoil and comm.rank == 0)
    except (MemoryError, EngineError) as error:
        oom = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
        return _fail(comm, reporter, str(error) or "Out of memory.", "oom" if oom else "rank_exit")
    except Exception as error:  # the rank's last word, whatever it was: peers wait for it otherwise
        return _fail(comm, reporter, f"{type(error).__name__}: {error}", "rank_exit")


def _benchmark(comm: "Communicator", spec: JobSpec, reporter: Reporter, spoil: bool) -> int:
    from ringscope.bench.sweep import Sweep

    hello = Hello(
        rank=comm.rank,
        local_rank=comm.local_rank,
        ranks=comm.size,
        pid=os.getpid(),
        host=socket.gethostname(),
        time_ns=time.time_ns(),
    )
    reporter.send(hello)
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


def _fail(comm: "Communicator | None", reporter: Reporter, message: str, reason: Literal["rank_exit", "oom"]) -> int:
    rank = comm.rank if comm else int(os.environ.get("PMI_RANK", "0"))
    reporter.send(Failure(rank=rank, reason=reason, message=message))
    reporter.close()
    sys.stderr.write(f"rank {rank}: {message}\n")
    sys.stderr.flush()
    if comm is not None:
        comm.abort(EXIT_FAILURE)
    return EXIT_FAILURE


if __name__ == "__main__":
    sys.exit(main())
