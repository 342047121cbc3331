"""Run one benchmark on this machine without a server: start mpiexec and collect the ranks' records.

A simulation needs no ranks: it runs in this process.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ringscope.contracts.errors import UserError
from ringscope.contracts.job import JobSpec
from ringscope.contracts.rank_process import SCRIPTS_VARIABLE, THREADS_VARIABLE, TUNING_VARIABLE
from ringscope.contracts.record import Environment, Failure, Hello, Measurement, Record, Trace
from ringscope.engine import positions
from ringscope.engine.cores import cores_each
from ringscope.rank.kit import Kit
from ringscope.rank.mpiexec import find_mpiexec, start_ranks
from ringscope.rank.parent_death import end_with_parent
from ringscope.rank.receiver import Receiver
from ringscope.rank.room import open_files_fault, processes_fault, shared_memory_fault, socket_room

_POLL_SECONDS = 0.1
_STOP_SECONDS = 5.0
_OUTPUT_TAIL_LINES = 20
# Hydra's line with the wait statuses of all ranks.
_EXIT_CODES = re.compile(r"^\[mpiexec@.*Exit codes: \[[^\[\]]+\] ([0-9]+(?:,[0-9]+)*)\n", re.MULTILINE)
_EXIT_CODES_LINE = re.compile(_EXIT_CODES.pattern.encode(), re.MULTILINE)


@dataclass(slots=True)
class Run:
    """Results of a benchmark, filled while it runs; ``exit_codes`` of the ranks if mpiexec reports them."""

    hellos: list[Hello] = field(default_factory=list)
    environments: list[Environment] = field(default_factory=list)
    measurements: list[Measurement] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    exit_code: int | None = None
    exit_codes: list[int] = field(default_factory=list)
    output: str = ""
    steps: dict[int, int] = field(default_factory=dict)
    hang_ups: dict[int, int] = field(default_factory=dict)

    def take(self, record: Record) -> None:
        """Store a record that belongs to the result."""
        match record:
            case Hello():
                self.hellos.append(record)
            case Environment():
                self.environments.append(record)
            case Measurement():
                self.measurements.append(record)
            case Trace():
                self.traces.append(record)
            case Failure():
                self.failures.append(record)

    def hear(self, output: str) -> None:
        """Store the output of mpiexec and the ranks, except the line that every run prints."""
        if found := _EXIT_CODES.search(output):
            self.exit_codes = [os.waitstatus_to_exitcode(int(status)) for status in found[1].split(",")]
        self.output = _EXIT_CODES.sub("", output)

    @property
    def reason(self) -> str:
        """Return why the run failed, as text; empty if it did not."""
        if self.exit_code == 0:
            return ""
        # A rank that lost another one reports only a consequence of that rank's end, and may report it first.
        told = min(self.failures, key=lambda failure: (not failure.is_cause, failure.is_hearsay), default=None)
        if told is None or not told.is_cause:
            first = self._first_end(told.lost_rank if told else None)
            if first and told is not None:
                return f"{first}\nRank {told.rank}: {told.message}"
            if first:
                return first
        if told is not None:
            return f"Rank {told.rank}: {told.message}"
        tail = "\n".join(self.output.splitlines()[-_OUTPUT_TAIL_LINES:])
        return f"mpiexec ended with exit code {self.exit_code}.\n{tail}".rstrip()

    def _first_end(self, lost_rank: int | None) -> str:
        """Describe how the first rank ended, and in which step, from Hydra's exit codes and the rank's own record.

        Hydra kills the other ranks at once, so their exit codes look the same: the first rank to close its connection
        is named. A rank that ended with an exit code only is named if another rank has lost it.
        """
        codes = self.exit_codes
        ended = [rank for rank, code in enumerate(codes) if code != 0]
        if not ended:
            return ""
        rank = min(ended, key=lambda rank: self.hang_ups.get(rank, len(codes)))
        where = f" in step {self.steps[rank]}" if rank in self.steps else ""
        if -codes[rank] in set(signal.Signals):
            return f"Rank {rank} was killed by {signal.Signals(-codes[rank]).name} ({-codes[rank]}){where}."
        if lost_rank is not None and rank == lost_rank:
            return f"Rank {rank} ended with exit code {codes[rank]}{where}."
        return ""


def run_local(
    job: JobSpec,
    run: Run,
    tuning: Path | None = None,
    scripts: Path | None = None,
    echo: Callable[[bytes], None] | None = None,
) -> Generator[Record]:
    """Start the job's ranks and yield every record as it arrives; ``run`` is complete when the iteration ends.

    ``tuning`` is the file with the measured times that ``auto`` uses; without it the cost model decides. ``scripts`` is
    the folder of a script; without it the environment names it. ``echo`` gets the output of the ranks as it comes, in
    whole lines. Raises UserError if there is no MPI. Leaving the iteration early ends every process.
    """
    if job.is_simulated:
        # imported late, because otherwise every command would wait for the engine
        from ringscope.bench.simulation import simulated_records

        for record in simulated_records(job.sweep, time.time_ns()):
            run.take(record)
            yield record
        run.exit_code = 0
        return
    find_mpiexec()  # refuse before anything is written
    ranks = job.placement.ranks
    if fault := shared_memory_fault(ranks) or open_files_fault(ranks) or processes_fault(ranks):
        raise UserError(fault)
    with tempfile.TemporaryDirectory(prefix="ringscope-", dir=socket_room()) as directory:
        kit, socket_path = Kit(Path(directory)), Path(directory, "socket")
        kit.pack(job, job.placement.ranks)
        environment = (
            os.environ
            | kit.variables(socket_path)
            | {
                TUNING_VARIABLE: str(tuning or ""),
                THREADS_VARIABLE: "1" if job.benchmark else _threads(job.placement.ranks),
            }
            | ({} if scripts is None else {SCRIPTS_VARIABLE: str(scripts), "PYTHONUNBUFFERED": "1"})
            | job.env
        )
        output = Path(directory, "output")
        lines = _Lines(output, echo)
        with Receiver(socket_path) as receiver, _started(job.placement.ranks, environment, output) as process:
            while process.poll() is None or not receiver.is_idle:
                for record in receiver.receive(_POLL_SECONDS):
                    run.take(record)
                    yield record
                lines.show()
            run.exit_code, run.hang_ups = process.returncode, receiver.hang_ups
            lines.show(is_last=True)
            run.hear(output.read_text(errors="replace"))
            run.steps = positions.steps(kit.positions)


class _Lines:
    """The output of the ranks in whole lines, but for the line that every run prints at its end."""

    def __init__(self, output: Path, echo: Callable[[bytes], None] | None) -> None:
        self._output, self._echo, self._shown = output, echo, 0

    def show(self, *, is_last: bool = False) -> None:
        """Pass on the lines that came since the last call, and at last also one without an end."""
        if self._echo is None or not self._output.exists():
            return
        with self._output.open("rb") as file:
            file.seek(self._shown)
            text = file.read()
        if not is_last:
            text = text[: text.rfind(b"\n") + 1]
        self._shown += len(text)
        if text := _EXIT_CODES_LINE.sub(b"", text):
            self._echo(text)


def _threads(ranks: int) -> str:
    """Return the threads of each rank: those of the environment, else the cores divided by the ranks."""
    return os.environ.get(THREADS_VARIABLE) or str(cores_each(ranks))


@contextmanager
def _started(ranks: int, environment: dict[str, str], output: Path) -> Iterator[subprocess.Popen[bytes]]:
    with output.open("wb") as file:
        process = start_ranks(
            ranks,
            [sys.executable, "-m", "ringscope.rank"],
            environment,
            ["-print-all-exitcodes"],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            process_group=0,  # Ctrl-C reaches only this process, which then ends the ranks in order
            preexec_fn=end_with_parent,
        )
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Send SIGTERM, which mpiexec forwards to its ranks; after a while send SIGKILL, after which they die as its
    children.
    """
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
