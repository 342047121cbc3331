"""Knowledge before an attempt of a diagnosis: pairs of its earlier attempts, and baselines of its links. Pure."""

from pydantic import BaseModel, Field

from ringscope.contracts.diagnosis.record import PairEvidence


class KnownPair(PairEvidence):
    """A pair that an earlier attempt of the same job measured; rounds are counted from 0 without gaps."""

    round: int
    is_loaded: bool = False


class Baseline(BaseModel):
    """The bandwidth from one node to another in earlier diagnoses: medians of their intervals' ends, in bytes/s."""

    source: str
    destination: str
    low: float
    high: float


class Earlier(BaseModel):
    """The knowledge of rank 0 before its first round."""

    pairs: list[KnownPair] = Field([], description="Pairs in the order of their rounds.")
    baselines: list[Baseline] = []
    cards: dict[str, float] = Field(
        {}, description="Rate of each node's fastest network card in bytes/s, as its driver reports it."
    )
