"""Inputs of a rank: files in one folder, and the variables that name them. The launcher of the ranks creates them."""

from dataclasses import dataclass
from pathlib import Path

from ringscope.contracts.job import JobSpec
from ringscope.contracts.rank_process import (
    POSITIONS_VARIABLE,
    SOCKET_VARIABLE,
    SPEC_VARIABLE,
    STACKS_VARIABLE,
    TUNING_VARIABLE,
)
from ringscope.contracts.tuning import Table
from ringscope.engine import positions


@dataclass(frozen=True, slots=True)
class Kit:
    """Paths in the folder of a run, which must already exist."""

    folder: Path

    @property
    def spec(self) -> Path:
        """The job."""
        return self.folder / "spec.json"

    @property
    def tuning(self) -> Path:
        """The measured times that ``auto`` uses."""
        return self.folder / "tuning.json"

    @property
    def positions(self) -> Path:
        """The file in which the ranks publish their progress."""
        return self.folder / "positions"

    @property
    def stacks(self) -> Path:
        """The folder in which each rank writes its stack on request."""
        return self.folder / "stacks"

    def pack(self, job: JobSpec, ranks: int, tuning: Table | None = None) -> None:
        """Write the files that the ranks read and use; ``ranks`` counts the ranks on all nodes. Raises OSError."""
        # The ranks have the job's variables in their environment; no file that is left behind needs their values.
        self.spec.write_text(job.model_copy(update={"env": {}}).model_dump_json())
        self.tuning.write_text((tuning or Table()).model_dump_json())
        positions.create(self.positions, ranks)
        self.stacks.mkdir(exist_ok=True)

    def variables(self, socket: Path) -> dict[str, str]:
        """Return the environment variables of the ranks; a receiver listens at ``socket``."""
        return {
            SOCKET_VARIABLE: str(socket),
            SPEC_VARIABLE: str(self.spec),
            TUNING_VARIABLE: str(self.tuning),
            POSITIONS_VARIABLE: str(self.positions),
            STACKS_VARIABLE: str(self.stacks),
        }
