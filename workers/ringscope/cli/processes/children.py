"""Child processes of `ringscope up`: none outlives it, however it ends."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from ringscope.contracts.errors import UserError
from ringscope.rank.foreign import without_foreign
from ringscope.rank.parent_death import end_with_parent

STOP_SECONDS = 15.0  # an agent proves that its ranks are gone and flushes its spool in about half of this time
_GROUP_SECONDS = 2.0  # a killed process that the kernel holds longer than this is not waited for
_GROUP_LOOK_SECONDS = 0.005
_LOG_TAIL_BYTES = 4000
_CLI_VARIABLES = ("RINGSCOPE_URL", "RINGSCOPE_TOKEN")  # settings of a person that must not affect the roles
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Child:
    """A process in a separate session, whose output is appended to a log file."""

    def __init__(self, role: str, command: Sequence[str], log: Path) -> None:
        self.role = role
        self.log = log
        parent = os.getpid()
        with log.open("ab") as output:
            self._log_start = output.tell()
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={name: value for name, value in without_foreign(os.environ).items() if name not in _CLI_VARIABLES},
                start_new_session=True,  # Ctrl-C on the terminal reaches only `up`, which ends them in order
                preexec_fn=lambda: _die_with(parent),
            )

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Return the exit code; None while it runs, negative for the signal that killed it.

        With the first one its process group is ended, because the group's number may soon be another group's.
        """
        was_known, code = self._process.returncode is not None, self._process.poll()
        if code is not None and not was_known:
            _end_group(self.pid)
        return code

    @property
    def last_words(self) -> str:
        """Return the end of its output since its start."""
        with self.log.open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(self._log_start, end - _LOG_TAIL_BYTES))
            return file.read().decode(errors="replace").strip()

    @property
    def warnings(self) -> list[str]:
        """Return the warnings that are still in the retained end of its log."""
        logged = (line.partition(" WARNING ")[2].partition(": ")[2] for line in self.last_words.splitlines())
        return [sentence for sentence in logged if sentence]

    def stop(self) -> None:
        """Send SIGTERM, and after STOP_SECONDS SIGKILL; return once it and its process group have ended."""
        if self.exit_code is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _end_group(self.pid)


class ChildDiedError(Exception):
    """A child process ended by itself."""

    def __init__(self, child: Child) -> None:
        code = child.exit_code or 0
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        last_line = child.last_words.rpartition("\n")[2]
        said = f": {last_line}" if last_line else ""
        super().__init__(f"The {child.role} ended with {how}{said} (log: {child.log})")
        self.child = child


class Children:
    """The children in the order of their start; leaving the context ends the last one first."""

    def __init__(self, log_dir: Path) -> None:
        self._log_dir = log_dir
        self._children: list[Child] = []

    def start(self, role: str, arguments: Sequence[str]) -> Child:
        """Start a role's process."""
        return self.run(role, (sys.executable, "-m", f"ringscope_{role}", *arguments))

    def run(self, role: str, command: Sequence[str]) -> Child:
        """Start a program under the name of its role."""
        try:
            self._log_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # tokens will be stored there
            self._log_dir.mkdir(exist_ok=True)
            child = Child(role, command, self._log_dir / f"{role}.log")
        except BlockingIOError as error:  # EAGAIN of fork
            raise UserError(
                f"The {role} cannot be started ({error.strerror}); raise this user's limit with ulimit -u, "
                "or the control group's pids.max."
            ) from error
        except OSError as error:
            raise UserError(
                f"The data directory {self._log_dir.parent} cannot be written ({error.strerror}); "
                "make it writable or choose another with --data-dir."
            ) from error
        self._children.append(child)
        return child

    def check(self) -> None:
        """Raise ChildDiedError for a child that has ended, UserError if it ended because of bad input."""
        for child in self._children:
            if child.exit_code is None:
                continue
            if child.exit_code == 2 and child.last_words:
                raise UserError(child.last_words.splitlines()[-1])
            raise ChildDiedError(child)

    def watch(self) -> None:
        """Block until a child ends by itself, then raise as ``check`` does."""
        while True:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            self.check()

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *_: object) -> None:
        with _signals_ignored():
            for child in reversed(self._children):
                child.stop()


@contextmanager
def interrupts() -> Iterator[None]:
    """Treat SIGTERM and a closed terminal like Ctrl-C inside the block: KeyboardInterrupt."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in _STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _signals_ignored() -> Iterator[None]:
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_group(leader: int) -> None:
    """Kill what a role that has ended left in its process group: the helpers of multiprocessing end a moment later."""
    deadline = time.monotonic() + _GROUP_SECONDS
    with contextlib.suppress(ProcessLookupError):  # none is left
        os.killpg(leader, signal.SIGKILL)
        while time.monotonic() < deadline:
            with contextlib.suppress(ChildProcessError):  # as init of a container this process inherits them
                os.waitpid(-leader, os.WNOHANG)
            os.killpg(leader, 0)
            time.sleep(_GROUP_LOOK_SECONDS)


def _die_with(parent: int) -> None:
    """Make the kernel kill this child when the parent ends, even by SIGKILL; called in the child before exec."""
    end_with_parent()
    if os.getppid() != parent:  # the parent died before the line above
        os._exit(1)
