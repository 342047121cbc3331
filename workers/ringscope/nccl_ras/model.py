"""The contents of a RAS report. Pure."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """A rank's GPU, process and node, as far as the report says."""

    rank: int
    gpu: str | None = None
    pid: int | None = None
    host: str | None = None

    def __str__(self) -> str:
        parts = [f"GPU {self.gpu}"] if self.gpu is not None else []
        parts += [f"process {self.pid}"] if self.pid is not None else []
        told = ", ".join(parts) + (f" on {self.host}" if self.host else "")
        return f"rank {self.rank} ({told.strip()})" if told else f"rank {self.rank}"


@dataclass
class Communicator:
    """A communicator; ``counts`` has for each kind of operation how many ranks have launched how many.

    ``ranks_of`` has the ranks of a count where the report lists them: those of the fewest. ``dead`` is None if the
    report does not say which ranks are.
    """

    name: str
    size: int | None = None
    missing: list[Place] = field(default_factory=list)
    dead: set[int] | None = None
    counts: dict[str, dict[int, int]] = field(default_factory=dict)
    ranks_of: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)


@dataclass
class Report:
    """A report; ``is_repaired`` says that its JSON was broken, ``is_cut`` that its end is missing."""

    version: str | None = None
    communicators: list[Communicator] = field(default_factory=list)
    timeouts: int = 0
    is_repaired: bool = False
    rows: int = 0
