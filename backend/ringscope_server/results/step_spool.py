"""Steps sorted by rank, on disk: a file of columns that is written in the order of time and read rank by rank."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

STEP = np.dtype(
    [
        ("rank", np.int32),
        ("op", np.int32),  # index into ``ops``
        ("end_ns", np.int64),
        ("duration_us", np.float64),
        ("compute_us", np.float64),
        ("communication_us", np.float64),
        ("bytes", np.int64),
        ("bus_bytes", np.float64),
    ]
)


class StepSpool:
    """Keeps at most one batch in memory, and the position of each rank's part of every batch."""

    def __init__(self) -> None:
        self.ops: list[str] = []
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by the context
        self._parts: dict[int, list[tuple[int, int]]] = defaultdict(list)  # rank -> positions and lengths
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def ranks(self) -> list[int]:
        """The ranks that have steps."""
        return sorted(self._parts)

    def number_of(self, op: str) -> int:
        """Return the number of a label of collectives."""
        if op not in self.ops:
            self.ops.append(op)
        return self.ops.index(op)

    def add(self, steps: Sequence[tuple[Any, ...]]) -> None:
        """Write a batch of STEP's columns. Raises OSError if the disk is full."""
        batch = np.array(steps, dtype=STEP)
        batch = batch[np.argsort(batch["rank"], kind="stable")]
        self._file.seek(self._end)
        self._file.write(batch.tobytes())
        ranks, starts, counts = np.unique(batch["rank"], return_index=True, return_counts=True)
        for rank, start, count in zip(ranks, starts, counts, strict=True):
            self._parts[int(rank)].append((self._end + int(start) * STEP.itemsize, int(count)))
        self._end += batch.nbytes

    def of_rank(self, rank: int) -> Iterator[np.ndarray]:
        """Yield the rank's steps, batch by batch."""
        for place, count in self._parts[rank]:
            self._file.seek(place)
            yield np.frombuffer(self._file.read(count * STEP.itemsize), dtype=STEP)
