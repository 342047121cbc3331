"""A collective on given numbers, step by step, as `ringscope trace` prints it."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError, model_validator

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.findings import field_errors
from ringscope.contracts.spec_model import SpecModel, at
from ringscope.contracts.words.collectives import SCHEDULED, Collective
from ringscope.cost.timeline import Timeline
from ringscope.cost.traces.perfetto import to_perfetto
from ringscope.cost.worked_example import (
    LINKS,
    MAX_RANKS,
    USUAL_RANKS,
    WorkedExample,
    example_timeline,
    usual_values,
    worked_example,
)
from ringscope.schedules.algorithms import build, channels_of
from ringscope.schedules.schedule import Schedule

MAX_ELEMENT_BYTES = 1 << 40
# In all steps of all ranks together: an answer of about 4 MB.
MAX_NUMBERS = 600_000

Number = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]


class ExampleQuestion(SpecModel):
    """Numbers, and the algorithm that sums them up or moves them."""

    collective: Collective = "all_reduce"
    algorithm: str = Field("ring", max_length=40)
    values: tuple[Annotated[tuple[Number, ...], Field(max_length=4096)], ...] = Field(
        (),
        max_length=MAX_RANKS,
        description="A row of numbers for each rank; if empty, rank r holds one number for each rank and channel, all"
        " of them r+1.",
    )
    shape: str | None = Field(
        None, description="RANKS, NODESxRANKS or RACKSxNODESxRANKS; null means as many ranks as rows of values, or 3."
    )
    channels: int = Field(
        1, ge=1, description="The channels of rings and trees; each leaves a node through another rank."
    )
    root: int = Field(0, ge=0, description="The root of broadcast and reduce.")
    element_bytes: int = Field(
        4, ge=1, le=MAX_ELEMENT_BYTES, description="The bytes that each number stands for in the times."
    )

    @property
    def cluster(self) -> ClusterSpec:
        """The described shape, with the links of examples."""
        shape = self.shape or str(len(self.values) or USUAL_RANKS)
        return ClusterSpec.model_validate(LINKS | {"shape": shape, "channels": self.channels})

    @model_validator(mode="after")
    def _can_be_shown(self) -> "ExampleQuestion":
        known = SCHEDULED[self.collective]
        if self.algorithm not in known:
            raise at(
                ("algorithm",),
                f"unknown algorithm {self.algorithm!r}; choose one of {', '.join(known)}.",
                self.algorithm,
            )
        try:
            ranks = self.cluster.ranks
        except ValidationError as error:
            (finding, *_) = field_errors(error)
            field = finding.pointer.strip("/")
            raise at((field,), finding.detail.partition(": ")[2], getattr(self, field)) from error
        if ranks > MAX_RANKS:
            raise at(("shape",), f"{ranks} ranks are too many to read; give {MAX_RANKS} or fewer.", self.shape)
        if self.root >= ranks:
            raise at(("root",), f"{self.root} is not one of {ranks} ranks; give 0 to {ranks - 1}.", self.root)
        return self


class Example(BaseModel):
    """Computed numbers, with the cost model's times; nothing is measured."""

    collective: str
    algorithm: str
    root: int
    element_bytes: int
    cluster: ClusterSpec
    example: WorkedExample


def example(question: ExampleQuestion) -> Example:
    """Return every step. Raises ValueError for numbers that do not fit the ranks, or are too many."""
    schedule, timeline = _run(question)
    values = question.values or usual_values(schedule.ranks, schedule.length // schedule.ranks)
    numbers = schedule.ranks * schedule.length * len(schedule.steps)
    if numbers > MAX_NUMBERS:
        most = MAX_NUMBERS // (schedule.ranks * len(schedule.steps))
        raise ValueError(f"values: too many to show every step; give at most {most} numbers for each rank.")
    return Example(
        collective=question.collective,
        algorithm=question.algorithm,
        root=question.root,
        element_bytes=question.element_bytes,
        cluster=question.cluster,
        example=worked_example(schedule, values, timeline, question.element_bytes),
    )


def perfetto(question: ExampleQuestion) -> dict[str, Any]:
    """Return the same for ui.perfetto.dev."""
    schedule, timeline = _run(question)
    size_bytes = schedule.length * question.element_bytes
    return to_perfetto(timeline, f"{question.algorithm}, {schedule.ranks} ranks, {size_bytes} bytes")


def _run(question: ExampleQuestion) -> tuple[Schedule, Timeline]:
    shape = question.cluster.topology
    channels = channels_of(question.collective, question.algorithm, shape.rails)
    length = len(question.values[0]) if question.values else shape.ranks * channels
    where = shape.nodes, question.collective, question.root, channels
    schedule = build(question.algorithm, shape.ranks, length, *where)
    return schedule, example_timeline(schedule, shape, question.element_bytes)
