"""The agent's part of the data directory: a lock against a second agent, and one folder per attempt."""

import fcntl
import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ValidationError

from ringscope.contracts.diagnosis.earlier import Earlier
from ringscope.contracts.errors import UserError
from ringscope.contracts.protocol import Assignment
from ringscope.contracts.tuning import Table
from ringscope.contracts.words.machine import Machine
from ringscope.rank.room import socket_room
from ringscope_agent.belonging import Belonging
from ringscope_agent.files import replace_text
from ringscope_agent.paths import AttemptPaths, control_group_note
from ringscope_agent.settings import SettingsError


class AttemptState(BaseModel):
    """The facts about an attempt that a later run of the agent needs."""

    assignment: Assignment
    sockets: Path | None = None
    launched: bool = False
    boot: str = ""  # the machine's boot id when the attempt was launched


def _socket_room() -> Path:
    """Return the same as ``socket_room``. Raises OSError."""
    try:
        return socket_room()
    except UserError as error:
        raise OSError(str(error)) from None


class AttemptFolder:
    """One attempt on disk: its state, the specification and the measured times for the ranks, and the spool."""

    def __init__(self, path: Path, state: AttemptState) -> None:
        self.path = path
        self.state = state

    @property
    def paths(self) -> AttemptPaths | None:
        """The paths of the attempt's files; None before ``prepare``."""
        return AttemptPaths(folder=self.path, sockets=self.state.sockets) if self.state.sockets else None

    def belonging(self, home: Path) -> Belonging:
        """Return the finder of the attempt's processes; ``home`` is the data directory of this agent."""
        return Belonging(self.state.assignment.token, home, control_group_note(self.path))

    def prepare(self, machine: Machine | None = None) -> AttemptPaths:
        """Write what the ranks will read; ``auto`` chooses algorithms by measured times and by the machine's
        properties.
        """
        assignment = self.state.assignment
        self.tidy()
        self.state.sockets = Path(tempfile.mkdtemp(prefix="ringscope-ranks-", dir=_socket_room()))
        self.save()
        paths = AttemptPaths(folder=self.path, sockets=self.state.sockets)
        paths.kit.pack(assignment.spec, assignment.ranks, (assignment.tuning or Table()).on(machine))
        if assignment.spec.measured_pairs is not None:
            self.earlier.write_text((assignment.earlier or Earlier()).model_dump_json())
        return paths

    @property
    def earlier(self) -> Path:
        """The file with what a diagnosis knows already."""
        return self.path / "earlier.json"

    def mark_launched(self) -> None:
        """Record the launch; from here on, processes of this attempt may exist."""
        self.state.launched = True
        self.state.boot = _boot()
        self.save()

    @property
    def may_have_processes(self) -> bool:
        """Return whether it was launched and the machine has not been restarted since."""
        return self.state.launched and self.state.boot == _boot()

    def save(self) -> None:
        """Write the state to disk."""
        replace_text(self.path / "attempt.json", self.state.model_dump_json())

    def tidy(self) -> None:
        """Remove what lies outside the folder; call it only once no process of the attempt and no shim is left."""
        if self.state.sockets is not None:
            shutil.rmtree(self.state.sockets, ignore_errors=True)

    def delete(self) -> None:
        """Delete the attempt's folder."""
        self.tidy()
        shutil.rmtree(self.path, ignore_errors=True)


def _boot() -> str:
    """Return the kernel's boot id, which changes with each start of the machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


class DataHome:
    """The data directory, locked by this agent until ``close``."""

    def __init__(self, data_dir: Path, node: str) -> None:
        """Raises SettingsError if the directory cannot be used or is locked by another agent."""
        self._attempts = data_dir / "attempts"
        try:
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)  # what ranks write, and what marks their processes
            self._attempts.mkdir(exist_ok=True)
            self._lock = os.open(data_dir / "agent.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SettingsError(
                f"data_dir: {data_dir} cannot be written ({error.strerror}); choose another with --data-dir."
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise SettingsError(
                f"data_dir: another agent uses {data_dir}; stop it, or choose another with --data-dir."
            ) from None
        with suppress(OSError):  # only for people: on a full disk an agent must still find its running ranks
            os.truncate(self._lock, 0)
            os.write(self._lock, json.dumps({"pid": os.getpid(), "name": node}).encode())

    def close(self) -> None:
        """Release the directory for another agent."""
        os.close(self._lock)

    def new_attempt(self, assignment: Assignment) -> AttemptFolder:
        """Make the folder of a new attempt. Raises OSError."""
        path = self._attempts / str(assignment.attempt_id)
        folder = AttemptFolder(path, AttemptState(assignment=assignment))
        try:
            path.mkdir(parents=True, exist_ok=True)
            folder.save()
        except OSError:
            folder.delete()
            raise
        return folder

    def attempts(self) -> list[AttemptFolder]:
        """Return the folders that an earlier run left."""
        found = [self._load(path) for path in sorted(self._attempts.iterdir())]
        return [folder for folder in found if folder is not None]

    def _load(self, path: Path) -> AttemptFolder | None:
        try:
            state = AttemptState.model_validate_json((path / "attempt.json").read_bytes())
        except (OSError, ValidationError):
            return None
        return AttemptFolder(path, state)
