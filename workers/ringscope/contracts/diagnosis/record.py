"""Records of a diagnosis, from rank 0: each measured pair, and the verdict."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from ringscope.contracts.columns import Int32, Line, Microseconds, Name, Nanoseconds
from ringscope.contracts.record_model import RecordModel

MOST_NODES = 4096

BlamedKind = Literal["node", "link", "boundary"]
Ended = Literal["measured", "hung", "died"]
_Rate = Annotated[float, Field(ge=0, le=1e18)]


class WayRate(BaseModel):
    """Bandwidth in one direction: the median's 95 % interval in bytes per second, and how much messages differ."""

    low: _Rate
    high: _Rate
    spread: float = Field(0.0, ge=0, le=1e9, description="Relative deviation of single messages.")
    messages: Int32 = Field(0, description="The number of timed messages.")


class PairMeasured(RecordModel):
    """One measurement of a pair of ranks in a round: ``there`` is from the first to the second one."""

    type: Literal["pair_measured"] = "pair_measured"
    rank: Int32 = Field(0, description="The rank that tells it.")
    round: Int32 = Field(ge=0)
    first: Int32
    second: Int32
    ending: Ended = "measured"
    there: WayRate | None = None
    back: WayRate | None = None
    latency_us: Microseconds | None = Field(None, description="Median of half the time of a small message and back.")
    is_loaded: bool = Field(False, description="Whether other pairs loaded the same boundary at the same time.")
    time_ns: Nanoseconds

    @model_validator(mode="after")
    def _a_measured_pair_has_rates(self) -> "PairMeasured":
        if (self.ending == "measured") != (self.there is not None and self.back is not None):
            raise ValueError("a pair has both rates if it was measured, and none otherwise")
        if self.first == self.second:
            raise ValueError("a pair has two ranks")
        return self


class PairEvidence(BaseModel):
    """A measurement of a pair of nodes that is evidence for a fault; rates are in bytes per second."""

    nodes: list[Name] = Field(min_length=2, max_length=2)
    rail: Int32 | None = Field(None, description="The rail of both nodes; null: the nodes as wholes.")
    ending: Ended = "measured"
    there: WayRate | None = None
    back: WayRate | None = None


class BlamedPart(BaseModel):
    """A node, link or boundary that is at fault, the confidence in it, and its evidence."""

    kind: BlamedKind
    names: list[Line] = Field(max_length=MOST_NODES)
    rail: Int32 | None = Field(None, description="The only rail that is at fault; null: all of them.")
    manner: Literal["slow", "lossy", "hung", "died"]
    confidence: float = Field(ge=0, le=1)
    sentence: Line
    evidence: list[PairEvidence] = Field(max_length=MOST_NODES)

    @property
    def labels(self) -> list[str]:
        """Return the names with the rail, such as "h5 rail 2"."""
        return [with_rail(name, self.rail) for name in self.names]


def with_rail(name: str, rail: int | None) -> str:
    """Return the name of a node or rack with the rail of it that is meant, if it is not all of it."""
    return name if rail is None else f"{name} rail {rail}"


class DiagnosisVerdict(RecordModel):
    """The end of a diagnosis; ``decided`` with nobody blamed means that nothing is wrong."""

    type: Literal["diagnosis_verdict"] = "diagnosis_verdict"
    rank: Int32 = Field(0, description="The rank that tells it.")
    decided: bool
    rounds: Int32
    blamed: list[BlamedPart] = Field(max_length=MOST_NODES)
    cleared: list[Name] = Field(max_length=MOST_NODES, description="Nodes of bad pairs that are good.")
    sentences: list[Line] = Field(max_length=MOST_NODES)
    undecided: list[Line] = Field(max_length=MOST_NODES, description="What is open, and what would decide it.")


DiagnosisTold = PairMeasured | DiagnosisVerdict
