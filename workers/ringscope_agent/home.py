"""The agent's part of the data directory: a lock against a second agent, and one folder per attempt."""

import fcntl
import json
import os
import shutil
import tempfile
from pathlib import Path

from pydantic import BaseModel, ValidationError

from ringscope import positions
from ringscope.tuning import Table
from ringscope_agent.settings import SettingsError


class AttemptState(BaseModel):
    """What a later life of the agent must know about an attempt."""

    attempt_id: int
    token: str
    # A Unix socket's path is limited to 107 bytes, which a data directory may use up alone.
    socket_folder: Path | None = None
    launched: bool = False


class AttemptFolder:
    """One attempt on disk: its state, the specification and the measured times for the ranks, and the spool."""

    def __init__(self, path: Path, state: AttemptState) -> None:
        self.path = path
        self.state = state
        self.spec_path = path / "spec.json"
        self.tuning_path = path / "tuning.json"
        self.positions_path = path / "positions"

    def prepare(self, spec_json: str, tuning: Table, ranks: int) -> Path:
        """Write what the ranks will read and use; the path at which they find the agent's socket."""
        self.spec_path.write_text(spec_json)
        self.tuning_path.write_text(tuning.model_dump_json())
        positions.create(self.positions_path, ranks)
        self.tidy()
        self.state.socket_folder = Path(tempfile.mkdtemp(prefix="ringscope-ranks-"))
        self.save()
        return self.state.socket_folder / "ranks.sock"

    def mark_launched(self) -> None:
        """From here on processes of this attempt may exist."""
        self.state.launched = True
        self.save()

    def save(self) -> None:
        """Write the state so that a crash leaves either the old or the new one."""
        temporary = self.path / "attempt.new"
        temporary.write_text(self.state.model_dump_json())
        temporary.chmod(0o600)
        temporary.replace(self.path / "attempt.json")

    def tidy(self) -> None:
        """Remove what lies outside the folder; only once no process of the attempt is left."""
        if self.state.socket_folder is not None:
            shutil.rmtree(self.state.socket_folder, ignore_errors=True)

    def delete(self) -> None:
        """Forget the attempt."""
        self.tidy()
        shutil.rmtree(self.path, ignore_errors=True)


class DataHome:
    """The data directory, held by this agent alone until ``close``."""

    def __init__(self, data_dir: Path, node: str) -> None:
        """Raises SettingsError when the directory is no good or taken."""
        self._attempts = data_dir / "attempts"
        try:
            self._attempts.mkdir(parents=True, exist_ok=True)
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
        os.truncate(self._lock, 0)
        os.write(self._lock, json.dumps({"pid": os.getpid(), "name": node}).encode())

    def close(self) -> None:
        """Let another agent have the directory."""
        os.close(self._lock)

    def open_attempt(self, attempt_id: int, token: str) -> AttemptFolder:
        """The attempt's folder, made when there is none."""
        path = self._attempts / str(attempt_id)
        folder = self._load(path)
        if folder is not None and folder.state.token == token:
            return folder
        path.mkdir(parents=True, exist_ok=True)
        folder = AttemptFolder(path, AttemptState(attempt_id=attempt_id, token=token))
        folder.save()
        return folder

    def attempts(self) -> list[AttemptFolder]:
        """Folders that an earlier life left."""
        found = [self._load(path) for path in sorted(self._attempts.iterdir())]
        return [folder for folder in found if folder is not None]

    def _load(self, path: Path) -> AttemptFolder | None:
        try:
            state = AttemptState.model_validate_json((path / "attempt.json").read_bytes())
        except (OSError, ValidationError):
            return None
        return AttemptFolder(path, state)
