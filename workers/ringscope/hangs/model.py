"""The contents of Flight Recorder dumps: operations as each rank recorded them, and their groups. Pure."""

from dataclasses import dataclass, field

Sizes = tuple[tuple[int, ...], ...]
# Paths of PyTorch, of Python's own launchers and of our watch; a frame in them does not say where the user's script is.
_INTERNAL = (
    *("torch/distributed/", "torch/nn/", "torch/autograd/", "torch/_", "torch/utils/", "torch/fx/", "torch/jit/"),
    "ringscope/rank/watch/",
)


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of source code in the stack of an operation."""

    path: str
    line: int
    function: str

    @property
    def is_internal(self) -> bool:
        """Return whether the frame is of PyTorch or of Python's start, not of a script."""
        return self.path.startswith("<") or any(part in self.path for part in _INTERNAL)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Operation:
    """A recorded operation; ``seq`` counts the collectives of its group, ``peer`` is (source, destination) of a
    point-to-point operation in ranks of the group. Times are nanoseconds of the rank's own clock.
    """

    record: int
    group: str
    name: str
    seq: int
    state: str
    is_p2p: bool = False
    peer: tuple[int, int] | None = None
    input_sizes: Sizes = ()
    output_sizes: Sizes = ()
    input_dtypes: tuple[str, ...] = ()
    output_dtypes: tuple[str, ...] = ()
    created_ns: int | None = None
    frames: tuple[Frame, ...] = ()
    description: str = ""
    retired: bool = False
    library: str = ""

    @property
    def is_complete(self) -> bool:
        """Return whether the operation ended on this rank; gloo's recorder leaves the state and only retires it."""
        return self.state == "completed" or (self.retired and self.library != "nccl")

    @property
    def source(self) -> Frame | None:
        """Return the innermost line that is not PyTorch's own."""
        return next((frame for frame in self.frames if not frame.is_internal), next(iter(self.frames), None))


@dataclass(frozen=True)
class Group:
    """A process group as a rank knows it; ``ranks`` are global ranks, empty if the dump does not list them."""

    name: str
    description: str
    ranks: tuple[int, ...] = ()


@dataclass
class Dump:
    """One rank's dump; operations are in the order in which the rank issued them."""

    rank: int
    path: str
    version: str
    operations: list[Operation] = field(default_factory=list)
    groups: dict[str, Group] = field(default_factory=dict)
