"""The contents of a log: runs with their rows, as printed, and the machine as far as the log describes it. Pure."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol


@dataclass(frozen=True)
class Cell:
    """A printed number, and half a unit of its last digit: the true value is within ``half`` of ``value``."""

    value: float
    half: float

    @cached_property
    def low(self) -> float:
        """The smallest value that is printed so."""
        return max(0.0, self.value - self.half)

    @cached_property
    def high(self) -> float:
        """The largest value that is printed so."""
        return self.value + self.half


@dataclass
class Row:
    """One size in one placement; ``wrong`` is None if nothing was checked, ``error`` is the column of old versions."""

    line: int
    size_bytes: int
    in_place: bool
    dtype: str | None = None
    time_us: Cell | None = None
    algbw: Cell | None = None
    busbw: Cell | None = None
    wrong: float | None = None
    error: float | None = None
    count: int | None = None
    redop: str | None = None
    root: int | None = None
    flags: list[str] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        """Return whether the row may be used: its cells agree with each other and no element was wrong."""
        return not self.flags and not self.wrong


@dataclass(frozen=True)
class Device:
    """A rank of the log's list of devices."""

    rank: int
    group: int
    host: str
    model: str


@dataclass
class Machine:
    """The machine and its software, as far as the log describes them."""

    devices: list[Device] = field(default_factory=list)
    is_list_whole: bool = True  # False if a line of the list of devices cannot be read
    versions: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    networks: list[str] = field(default_factory=list)  # what NCCL says that it uses: Socket, IB, AWS Libfabric
    nvls: bool | None = None
    crosses_network: bool = False  # NCCL's lines name a connection over a network
    info_ranks: int | None = None  # nranks of NCCL's INFO lines
    info_nodes: int | None = None

    @property
    def gpu(self) -> str | None:
        """The GPUs' name if all are equal."""
        models = {device.model for device in self.devices if device.model}
        return models.pop() if len(models) == 1 else None

    @property
    def hosts(self) -> list[str]:
        """The nodes in the order of their first ranks."""
        return list(dict.fromkeys(device.host for device in self.devices))


@dataclass
class Run:
    """One table of one program; ``refused`` is a sentence if it is no result of a collective."""

    tool: str
    line: int
    collective: str | None = None
    collective_from: str | None = None
    ranks: int | None = None
    ranks_from: str | None = None
    partial: bool = False
    failed: bool = False
    refused: str | None = None
    crash: tuple[int, str] | None = None
    notes: list[str] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    machine: Machine = field(default_factory=Machine)
    mean_busbw: Cell | None = None
    test: str | None = None  # the program's own name of what it measured, if that is no collective
    simulated: bool = False
    algorithm: str | None = None  # in Ringscope's own rows
    step_factor: int | None = None  # from one size to the next, if the program says so

    def note(self, sentence: str) -> None:
        """Add a sentence, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)


class Format(Protocol):
    """One kind of file: ``sniff`` says whether a text has it, ``read`` returns the runs, not yet checked."""

    def sniff(self, text: str) -> bool:
        """Return whether the text looks like this format."""

    def read(self, text: str) -> list[Run]:
        """Return the runs of the text; it raises nothing for a text that is cut or damaged."""
