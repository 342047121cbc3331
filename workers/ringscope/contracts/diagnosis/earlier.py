"""Knowledge before an attempt of a diagnosis: pairs of its earlier attempts, and baselines of its links. Pure."""

from datetime import datetime

from pydantic import BaseModel, Field

from ringscope.contracts.diagnosis.record import PairEvidence

FEWEST_MEASUREMENTS = 3  # earlier measurements of a direction that make a baseline


class KnownPair(PairEvidence):
    """A pair that an earlier attempt of the same job measured; rounds are counted from 0 without gaps."""

    round: int
    is_loaded: bool = False


class Baseline(BaseModel):
    """The bandwidth from one node to another in earlier diagnoses: medians of their intervals' ends, in bytes/s."""

    source: str
    destination: str
    rail: int | None = Field(None, description="The rail of both nodes; null: the nodes as wholes.")
    low: float
    high: float
    measurements: int = Field(FEWEST_MEASUREMENTS, description="The number of earlier measurements that count.")
    since: datetime | None = Field(None, description="When the oldest of them was made.")


class Earlier(BaseModel):
    """The knowledge of rank 0 before its first round."""

    pairs: list[KnownPair] = Field([], description="Pairs in the order of their rounds.")
    baselines: list[Baseline] = []
    cards: dict[str, float] = Field(
        {}, description="Rate of each node's fastest network card in bytes/s, as its driver reports it."
    )
