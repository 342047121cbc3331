"""The step rings of an attempt's ranks on this node: the steps that a benchmark's ranks note there, as records."""

from collections.abc import Iterator
from pathlib import Path

from ringscope.contracts.protocol import Assignment
from ringscope.contracts.rank_process import STEPS_VARIABLE
from ringscope.contracts.record import Iterations
from ringscope.engine import positions
from ringscope.engine.step_ring import StepMemory, StepReader


class Rings:
    """Memory that the ranks map too; jobs of another kind have none and report their steps themselves."""

    def __init__(self, assignment: Assignment, positions_path: Path) -> None:
        """Raises OSError if there is no memory."""
        self.environment: dict[str, str] = {}  # for the ranks' environment
        self._memory: StepMemory | None = None
        self._readers: list[StepReader] = []
        if assignment.spec.benchmark is None or assignment.spec.is_simulated:
            return
        self._memory = StepMemory(assignment.ranks)
        self.environment[STEPS_VARIABLE] = self._memory.path
        slots = assignment.gang[assignment.member].slots
        ranks = range(assignment.first_rank, assignment.first_rank + slots)
        self._readers = [self._memory.reader(rank, positions.slot(str(positions_path), rank)) for rank in ranks]

    @property
    def dropped_steps(self) -> int:
        """Number of steps that were overwritten before they were read."""
        return sum(reader.dropped_steps for reader in self._readers)

    def read(self) -> Iterator[Iterations]:
        """Return records of the steps that have ended since."""
        for reader in self._readers:
            yield from reader.read()

    def close(self) -> None:
        """Release the memory."""
        if self._memory is not None:
            self._memory.close()
