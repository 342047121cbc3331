"""The questions that the planner answers, and their limits."""

from math import inf
from typing import Annotated

from pydantic import Field, ValidationError, field_validator, model_validator

from ringscope.contracts.cluster import ClusterSpec
from ringscope.contracts.findings import field_errors
from ringscope.contracts.spec_model import SpecModel, at
from ringscope.contracts.words.collectives import Collective
from ringscope.cost.effort import followed_count
from ringscope.cost.fitting.fit_document import RegimeFigures
from ringscope.cost.nccl_model import ARCHITECTURES
from ringscope.cost.prices import usual

MAX_SERVERS = 128
MAX_CELLS = 200
# Limit per request: some seconds of one processor.
MAX_MESSAGES = 300_000
MAX_BYTES = 1 << 50
_ELEMENT_BYTES = 4

SizeBytes = Annotated[int, Field(ge=1, le=MAX_BYTES)]


class Question(SpecModel):
    """A collective on a cluster that is only described."""

    collective: Collective = "all_reduce"
    algorithms: tuple[Annotated[str, Field(max_length=40)], ...] = Field(
        (),
        max_length=20,
        description="The algorithms to compare, named as in `ringscope plan`; empty means all that have a schedule, "
        "and nccl for an all-reduce on nodes of several GPUs if there are no parameters.",
    )
    cluster: ClusterSpec = ClusterSpec.model_validate({})
    servers: int = Field(
        1, ge=1, le=MAX_SERVERS, description="The number of parameter servers, or of helpers for assisted_servers."
    )
    parameters: tuple[RegimeFigures, ...] = Field(
        (),
        max_length=6,
        description="The regimes of GET /jobs/{id}/fit: measured figures that replace those of the cluster's links.",
    )

    @field_validator("parameters")
    @classmethod
    def _regimes_ascend(cls, parameters: tuple[RegimeFigures, ...]) -> tuple[RegimeFigures, ...]:
        borders = [one.below_bytes or inf for one in parameters]
        if borders and (borders[-1] != inf or borders != sorted(set(borders))):
            raise ValueError("below_bytes must grow from regime to regime and be null in the last one.")
        return parameters

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms, with the default filled in."""
        architecture = ARCHITECTURES.get(self.cluster.intra)
        return self.algorithms or usual(
            self.collective, self.cluster.topology, architecture, is_fitted=bool(self.parameters)
        )

    def messages(self, cluster: ClusterSpec, size_bytes: int) -> int:
        """Return about how many messages are followed for one cell."""
        elements, topology = size_bytes // _ELEMENT_BYTES, cluster.topology
        return sum(followed_count(name, topology, elements, self.servers, self.collective) for name in self.names)


class PlanQuestion(Question):
    """Prices for each size on each shape."""

    sizes_bytes: tuple[SizeBytes, ...] = Field((64 << 20,), min_length=1, max_length=64)
    typed_size: str = Field(
        "", max_length=40, description="A size as a person wrote it: the answer uses its units, decimal ones for 1.2GB."
    )
    shapes: tuple[str, ...] = Field(
        (),
        max_length=16,
        description="Shapes that replace the cluster's own: the same links for other numbers of ranks.",
    )

    @property
    def clusters(self) -> list[ClusterSpec]:
        """The described cluster in each shape."""
        return [_reshaped(self.cluster, i, shape) for i, shape in enumerate(self.shapes)] or [self.cluster]

    @model_validator(mode="after")
    def _is_not_too_much(self) -> "PlanQuestion":
        clusters = self.clusters
        if len(clusters) * len(self.sizes_bytes) > MAX_CELLS:
            raise at(("sizes_bytes",), f"shapes times sizes are more than {MAX_CELLS}; give fewer of either.", None)
        total = sum(self.messages(cluster, size) for cluster in clusters for size in self.sizes_bytes)
        check_messages(total)
        return self


class SensitivityQuestion(Question):
    """A question on how the times change with each figure of the links."""

    size_bytes: SizeBytes = 64 << 20
    factor: float = Field(1.1, ge=0.1, le=10, description="The factor by which each figure is multiplied.")

    @model_validator(mode="after")
    def _is_not_too_much(self) -> "SensitivityQuestion":
        check_messages(7 * self.messages(self.cluster, self.size_bytes))  # at most six figures, and none
        return self


def _reshaped(cluster: ClusterSpec, number: int, shape: str) -> ClusterSpec:
    try:
        return ClusterSpec.model_validate(cluster.model_dump() | {"shape": shape})
    except ValidationError as error:
        sentence = field_errors(error)[0].detail.partition(": ")[2]
        raise at(("shapes", number), sentence, shape) from error


def check_messages(count: int) -> None:
    """Raise a finding if the prices would keep the server busy for too long."""
    if count > MAX_MESSAGES:
        raise at(
            ("algorithms",),
            f"all prices together are the work of about {count:,} messages, more than {MAX_MESSAGES:,}; "
            "give fewer algorithms, sizes or ranks, or run `ringscope plan`.",
            None,
        )
