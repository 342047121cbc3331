"""A diagnosis as users see it."""

from datetime import datetime

from pydantic import BaseModel, Field

from ringscope.contracts.diagnosis.earlier import Baseline
from ringscope.contracts.diagnosis.record import BlamedPart, Ended, WayRate
from ringscope.contracts.diagnosis.spec import Measure, Per


class PairView(BaseModel):
    """One measurement of a pair of nodes; rates are in bytes per second."""

    nodes: list[str] = Field(description="The two nodes; there is from the first to the second one.")
    rail: int | None = Field(None, description="The rail of both nodes; null: the nodes as wholes.")
    round: int = Field(description="Rounds are counted from 0.")
    ending: Ended
    there: WayRate | None
    back: WayRate | None
    latency_us: float | None
    is_loaded: bool = Field(description="Whether other pairs loaded the same boundary at the same time.")
    measured_at: datetime


class DiagnosisView(BaseModel):
    """The pairs that a diagnosis has measured so far, and its verdict."""

    measure: Measure
    per: Per = Field("node", description="rail: each pair of nodes was measured on each of their rails.")
    size_bytes: int
    both_ways: bool
    nodes: list[str] = Field(description="The nodes in the order of the ring.")
    decided: bool | None = Field(description="null: there is no verdict yet.")
    rounds: int = Field(description="The rounds that were measured.")
    sentence: str = Field(description="The verdict in a sentence.")
    blamed: list[BlamedPart]
    cleared: list[str] = Field(description="Nodes that took part in bad pairs and are good.")
    sentences: list[str] = Field(description="What speaks for the verdict, a sentence for each node or link.")
    undecided: list[str] = Field(description="What is open, and what would decide it.")
    pairs: list[PairView] = Field(description="The measurements, oldest first; all of them unless a limit was given.")
    next: str | None = Field(None, description="The cursor of the next pairs; null: there are no more, or no limit.")


class DiagnosisBaselines(BaseModel):
    """The baselines against which a diagnosis holds its links; rates are in bytes per second."""

    items: list[Baseline] = Field(description="One for each direction that earlier jobs measured often enough.")
